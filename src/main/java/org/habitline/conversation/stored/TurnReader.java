package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
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
   * @param configuration the number of the configuration version that it began under; {@code null}
   *     in turns of an older version
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
      @Nullable Long configuration,
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
    return transactions.read(() ->
        FAILURES.stream()
            .flatMap(outcome -> rows.unsettled(outcome, since, most).stream())
            .sorted(Comparator.comparing(TurnReader::ended).reversed())
            .limit(most)
            .map(TurnReader::whose)
            .toList());
  }

  /**
   * Returns the newest turns of participants who sent the same words again and again and got no
   * reply, newest first.
   *
   * @param since study time
   */
  public List<Whose> braked(Instant since, int most) {
    return transactions.read(() -> rows.lastEnded(Outcome.BRAKED, since, most)).stream()
        .map(TurnReader::whose)
        .toList();
  }

  /**
   * Returns the newest turns of participants whose reply was left to staff during a takeover,
   * newest first.
   *
   * @param since study time
   */
  public List<Whose> leftToStaff(Instant since, int most) {
    return transactions.read(() ->
        Stream.of(Outcome.NOT_FOR_THE_COACH, Outcome.TAKEN_OVER)
            .flatMap(outcome -> rows.lastLeft(outcome, since, most).stream())
            .sorted(Comparator.comparing(TurnReader::ended).reversed())
            .limit(most)
            .map(TurnReader::whose)
            .toList());
  }

  /**
   * Returns when the participant's last text came if no one has replied to it. Fixed messages, such
   * as the reply to HELP, messages from scripts and those that staff write to many at once do not
   * count as replies. Nothing of a safety incident waits for a reply of the coach.
   */
  public Optional<Instant> unanswered(String participantId) {
    return transactions.read(() -> {
      for (var row : transcript.newest(participantId, Long.MAX_VALUE, LOOKED_BACK)) {
        if (row.incidentId() != null) {
          return Optional.empty();
        }
        if (row.author() == Author.PARTICIPANT) {
          return Optional.of(row.createdAt());
        }
        var byScript = row.author() == Author.STAFF && row.turn() != JdbcTranscript.NO_TURN;
        if (!byScript
            && !row.wentToMany()
            && (row.author() != Author.BOT || !saidByTheLineItself(participantId, row.turn()))) {
          return Optional.empty();
        }
      }
      return Optional.empty();
    });
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
    return transactions.read(() -> {
      for (var row : transcript.newest(participantId, Long.MAX_VALUE, LOOKED_BACK)) {
        if (row.incidentId() != null || row.beforeConsent()) {
          return Left.NONE;
        }
        if (row.author() == Author.PARTICIPANT) {
          return row.turn() >= turn && hasFailed(participantId, row.turn())
              ? Left.UNANSWERED
              : Left.NONE;
        }
        var byScript = row.author() == Author.STAFF && row.turn() != JdbcTranscript.NO_TURN;
        if (!byScript
            && !row.wentToMany()
            && (row.author() != Author.BOT || !saidWithoutCoach(participantId, row))) {
          return Left.ANSWERED;
        }
      }
      return Left.NONE;
    });
  }

  private boolean hasFailed(String participantId, int turn) {
    return rows.find(participantId, turn)
        .filter(row -> row.status() == TurnStatus.FAILED)
        .isPresent();
  }

  private boolean saidWithoutCoach(String participantId, JdbcTranscript.Row said) {
    return rows.find(participantId, said.turn())
        .map(JdbcTurns.Row::outcome)
        .filter(outcome -> outcome == Outcome.NOT_FOR_THE_COACH || outcome.failed())
        .isPresent();
  }

  /** Returns whether the coach ever wrote to the participant. */
  public boolean hasReplied(String participantId) {
    return transactions.read(() -> rows.coached(participantId)) > 0;
  }

  private boolean saidByTheLineItself(String participantId, int turn) {
    return rows.find(participantId, turn)
        .filter(row -> row.outcome() == Outcome.NOT_FOR_THE_COACH)
        .isPresent();
  }

  private static Instant ended(JdbcTurns.Row row) {
    return Objects.requireNonNull(row.completedAt());
  }

  private static Whose whose(JdbcTurns.Row row) {
    return new Whose(row.participantId(), turn(row));
  }

  private static Turn turn(JdbcTurns.Row row) {
    var pinned = TurnJson.read(row.pinned(), new TypeReference<Claim.Pinned>() {});
    return new Turn(
        row.number(),
        row.kind(),
        row.status(),
        row.module() == null || row.module().isEmpty() ? null : row.module(),
        row.attempts(),
        row.outcome(),
        row.reason(),
        row.modelFailure(),
        pinned.prompts(),
        PromptTexts.Pins.of(pinned, row.rendered()).rendered(),
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
