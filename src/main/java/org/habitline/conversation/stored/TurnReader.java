package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonIgnore;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Reads turns: how each ended, its model calls, and texts that got no reply. */
@Singleton
public final class TurnReader {

  /** The outcomes of failed turns. */
  private static final List<Outcome> FAILURES =
      Arrays.stream(Outcome.values()).filter(Outcome::failed).toList();

  /**
   * How many newest messages are searched for a text without a reply; fixed messages never fill
   * that many in a row.
   */
  private static final int LOOKED_BACK = 10;

  private final JdbcTurns rows;
  private final JdbcIterations iterations;
  private final JdbcTranscript transcript;
  private final StoredRequests requests;
  private final Transactions transactions;

  TurnReader(
      JdbcTurns rows,
      JdbcIterations iterations,
      JdbcTranscript transcript,
      StoredRequests requests,
      Transactions transactions) {
    this.rows = rows;
    this.iterations = iterations;
    this.transcript = transcript;
    this.requests = requests;
    this.transactions = transactions;
  }

  /**
   * One turn without its iterations.
   *
   * @param failure why the model failed, if it did
   * @param configuration the number of the configuration version that it began under
   */
  public record Turn(
      int number,
      InputKind kind,
      TurnStatus status,
      @Nullable String module,
      int attempts,
      @Nullable Outcome outcome,
      @Nullable String reason,
      @JsonIgnore @Nullable ModelFailure failure,
      Map<String, String> promptSha256,
      Map<String, String> promptRenderedSha256,
      long configuration,
      Instant startedAt,
      @Nullable Instant completedAt) {}

  /** Returns how many turns are running, or were left unfinished, on any node. */
  public int running() {
    return transactions.read(() -> rows.running());
  }

  /** Returns the newest turns before a number, newest first. */
  public List<Turn> turns(String participantId, int before, int most) {
    return transactions.read(() -> rows.newest(participantId, before, most)).stream()
        .map(TurnReader::turn)
        .toList();
  }

  public Optional<Turn> turn(String participantId, int number) {
    return transactions.read(() -> rows.find(participantId, number)).map(TurnReader::turn);
  }

  /** A turn with its participant. */
  public record Whose(String participantId, Turn turn) {}

  /**
   * Returns failed turns of all participants who got neither a reply of the coach nor a message of
   * staff to them alone since, newest first.
   *
   * @param since study time
   */
  public List<Whose> unsettled(Instant since, int most) {
    return ofOutcomes(FAILURES, outcome -> rows.unsettled(outcome, since, most), most);
  }

  /**
   * Returns the newest turns of participants who sent the same words again and again and got no
   * reply, newest first.
   *
   * @param since study time
   */
  public List<Whose> braked(Instant since, int most) {
    return ofOutcomes(
        List.of(Outcome.BRAKED), outcome -> rows.lastEnded(outcome, since, most), most);
  }

  /**
   * Returns the newest turns of participants whose reply was left to staff during a takeover,
   * newest first.
   *
   * @param since study time
   */
  public List<Whose> leftToStaff(Instant since, int most) {
    return ofOutcomes(
        List.of(Outcome.NOT_FOR_THE_COACH, Outcome.TAKEN_OVER),
        outcome -> rows.lastLeft(outcome, since, most),
        most);
  }

  /** Returns the newest turns of these outcomes together, newest first. */
  private List<Whose> ofOutcomes(
      List<Outcome> outcomes, Function<Outcome, List<JdbcTurns.Row>> turns, int most) {
    return transactions.read(() ->
        outcomes.stream()
            .flatMap(outcome -> turns.apply(outcome).stream())
            .sorted(Comparator.comparing(TurnReader::ended).reversed())
            .limit(most)
            .map(row -> new Whose(row.participantId(), turn(row)))
            .toList());
  }

  /**
   * Returns when the participant's last text came if no one has replied to it. Fixed messages, such
   * as the reply to HELP, messages from scripts and those that staff write to many at once do not
   * count as replies. Nothing of a safety incident waits for a reply of the coach.
   */
  public Optional<Instant> unanswered(String participantId) {
    return transactions.read(() ->
        newest(
                participantId,
                row ->
                    row.incidentId() != null
                        || isTextOrReply(row, outcome -> outcome == Outcome.NOT_FOR_THE_COACH))
            .filter(row -> row.incidentId() == null && row.author() == Author.PARTICIPANT)
            .map(JdbcTranscript.Row::createdAt));
  }

  /** What became of a participant's last text whose turn failed. */
  public enum Left {
    /** Nobody replied to it; at most the flow's fallback message was sent. */
    UNANSWERED,
    /** The participant got a reply, or a message of staff, since. */
    ANSWERED,
    /** It belongs to a safety incident or to a turn that did not fail, or there is none. */
    NONE
  }

  /**
   * Returns what became of the participant's last text, if it is one of a failed turn or of a later
   * one that failed as well. Unlike in {@link #unanswered}, a fallback message of a failed turn is
   * no reply.
   *
   * @param turn the number of the failed turn
   */
  public Left leftByFailure(String participantId, int turn) {
    return transactions.read(() ->
        newest(
                participantId,
                row ->
                    isOutside(row)
                        || isTextOrReply(
                            row,
                            outcome -> outcome == Outcome.NOT_FOR_THE_COACH || outcome.failed()))
            .map(row -> left(row, turn))
            .orElse(Left.NONE));
  }

  private Left left(JdbcTranscript.Row last, int turn) {
    if (isOutside(last)) {
      return Left.NONE;
    }
    if (last.author() != Author.PARTICIPANT) {
      return Left.ANSWERED;
    }
    return last.turn() >= turn && hasFailed(last) ? Left.UNANSWERED : Left.NONE;
  }

  /** Returns whether the coach has nothing to do with the message. */
  private static boolean isOutside(JdbcTranscript.Row row) {
    return row.incidentId() != null || row.beforeConsent();
  }

  private boolean hasFailed(JdbcTranscript.Row text) {
    return rows.find(text.participantId(), text.turn())
        .filter(row -> row.status() == TurnStatus.FAILED)
        .isPresent();
  }

  /** Returns the newest message that counts, if it is among the newest of the participant. */
  private Optional<JdbcTranscript.Row> newest(
      String participantId, Predicate<JdbcTranscript.Row> counts) {
    return transcript.newest(participantId, Long.MAX_VALUE, LOOKED_BACK).stream()
        .filter(counts)
        .findFirst();
  }

  /**
   * Returns whether the message is a text of the participant or a reply to one: of the coach, or of
   * staff to them alone.
   *
   * @param noReply the outcomes of turns whose messages are no replies
   */
  private boolean isTextOrReply(JdbcTranscript.Row row, Predicate<Outcome> noReply) {
    return switch (row.author()) {
      case PARTICIPANT -> true;
      case STAFF -> row.turn() == JdbcTranscript.NO_TURN && !row.oneOfMany();
      case BOT ->
          !row.oneOfMany()
              && rows.find(row.participantId(), row.turn())
                  .map(JdbcTurns.Row::outcome)
                  .filter(noReply)
                  .isEmpty();
    };
  }

  /** Returns whether the coach ever wrote to the participant. */
  public boolean hasReplied(String participantId) {
    return transactions.read(() -> rows.coached(participantId)) > 0;
  }

  private static Instant ended(JdbcTurns.Row row) {
    return Objects.requireNonNull(row.completedAt());
  }

  private static Turn turn(JdbcTurns.Row row) {
    var prompts = Claim.Pinned.read(row.pinned()).prompts();
    return new Turn(
        row.number(),
        row.kind(),
        row.status(),
        row.module().isEmpty() ? null : row.module(),
        row.attempts(),
        row.outcome(),
        row.reason(),
        row.modelFailure(),
        prompts.files(),
        prompts.rendered(),
        row.configuration(),
        row.startedAt(),
        row.completedAt());
  }

  /**
   * Returns the iterations of a turn, in the shape of seed 004; empty lists if there is no such
   * turn.
   */
  public IterationContext iterations(String participantId, int turn) {
    return transactions.read(() ->
        StoredIterations.context(
            iterations.of(participantId, turn), row -> requests.whatIsLeft(row)));
  }

  /**
   * Returns the iterations of a turn, as {@link #iterations(String, int)} does, or none if a
   * message of the turn belongs to a safety incident whose words the reader may not see.
   */
  public IterationContext iterations(String participantId, int turn, boolean ofIncidents) {
    return ofIncidents || isCalm(participantId, turn)
        ? iterations(participantId, turn)
        : IterationContext.of(List.of());
  }

  private boolean isCalm(String participantId, int turn) {
    return transactions.read(() ->
        transcript.ofTurn(participantId, turn).stream().allMatch(row -> row.incidentId() == null));
  }
}
