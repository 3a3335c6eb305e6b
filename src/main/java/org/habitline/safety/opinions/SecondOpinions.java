package org.habitline.safety.opinions;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.habitline.llm.Deadline;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for second opinions beside the turn, if the study wants them, and keeps them with the turn.
 * Safe for any number of threads.
 */
public final class SecondOpinions implements ParticipantListener {

  private static final Logger log = LoggerFactory.getLogger(SecondOpinions.class);

  /** If none of this many opinions in a row was given, health says so. */
  static final int LOOKED_AT = 10;

  private final Optional<Judge> judge;
  private final Duration timeout;
  private final JdbcOpinions rows;
  private final List<OpinionListener> listeners;
  private final Transactions transactions;
  private final Clock clock;

  SecondOpinions(
      Optional<Judge> judge,
      Duration timeout,
      JdbcOpinions rows,
      List<OpinionListener> listeners,
      Transactions transactions,
      Clock clock) {
    this.judge = judge;
    this.timeout = timeout;
    this.rows = rows;
    this.listeners = listeners;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Returns whether texts get a second opinion. */
  public boolean isOn() {
    return judge.isPresent();
  }

  /**
   * Begins to ask on a thread of its own, and returns at once.
   *
   * @return empty if the study wants no second opinions
   */
  public Optional<PendingOpinion> begin(Words words) {
    // A little less, so that a failure at the end of the time is recorded as what it was.
    var asked = timeout.multipliedBy(9).dividedBy(10);
    return judge.map(it -> {
      var opinion = new CompletableFuture<Opinion>();
      Thread.ofVirtual()
          .name("second-opinion")
          .start(() -> opinion.complete(judged(it, words, Deadline.in(asked))));
      return new PendingOpinion(
          opinion.completeOnTimeout(it.tooSlow(), timeout.toMillis(), TimeUnit.MILLISECONDS));
    });
  }

  private static Opinion judged(Judge judge, Words words, Deadline deadline) {
    try {
      return judge.judge(words, deadline);
    } catch (RuntimeException e) {
      // Only the type is logged: the message may hold what the participant wrote.
      log.error("A second opinion failed with {}", e.getClass().getName());
      return Opinion.none(OpinionStatus.FAILED, judge.tooSlow().source());
    }
  }

  /** Returns the opinion of a turn, or empty if none is recorded. */
  public Optional<Opinion> of(String participantId, int turn) {
    return transactions.read(() -> rows.find(participantId, turn)).map(JdbcOpinions.Row::opinion);
  }

  /** Records the opinion of a turn, once for each turn. Joins the running transaction. */
  public void record(String participantId, int turn, Opinion opinion) {
    var _ = rows.save(JdbcOpinions.Row.of(participantId, turn, opinion, clock.instant()));
    transactions.afterCommit(() -> listeners.forEach(listener -> listener.recorded(opinion)));
  }

  /** Returns what is wrong with second opinions, in sentences for staff. */
  public List<String> warnings() {
    if (!isOn()) {
      return List.of();
    }
    var newest = transactions.read(() -> rows.newest(LOOKED_AT));
    return newest.size() == LOOKED_AT
            && newest.stream().noneMatch(row -> row.status() == OpinionStatus.GIVEN)
        ? List.of(
            "None of the last "
                + LOOKED_AT
                + " second opinions came: the crisis rules alone decide. Check the model in"
                + " safety.second_opinion and its timeout.")
        : List.of();
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
