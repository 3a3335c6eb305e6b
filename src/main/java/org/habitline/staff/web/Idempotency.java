package org.habitline.staff.web;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.habitline.Hashes;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;

/**
 * Carries out a request once, even if it is sent several times (the IETF draft's {@code
 * Idempotency-Key}). The reply is stored in the same transaction as the change, so a crash keeps
 * both or neither. A request that failed stores nothing and may be sent again. A reply is kept for
 * a day, or less if the participant it is about is erased, or if {@link #forget} removes it.
 */
@Singleton
public final class Idempotency implements ParticipantListener {

  private static final Duration KEPT = Duration.ofDays(1);

  private final JdbcIdempotency rows;
  private final Transactions transactions;
  private final Clock clock;

  Idempotency(JdbcIdempotency rows, Transactions transactions, @Named("system") Clock clock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** A key, which belongs to one sender and one request. */
  public record Key(String owner, String value, String request) {
    String hash() {
      return Hashes.sha256(owner + "\n" + value);
    }

    String requestHash() {
      return Hashes.sha256(request);
    }
  }

  /** The reply, and the participant it is about. */
  public record Answer(String participantId, int status, String body, boolean replayed) {}

  /**
   * Carries out the act, or returns the reply that it gave before.
   *
   * @throws ApiProblem 422 if the key came with another request before, 410 if the reply has since
   *     been removed
   */
  public Answer once(Key key, Supplier<Answer> act) {
    return transactions.write(() -> {
      var now = clock.instant();
      rows.forget(now.minus(KEPT));
      if (rows.begin(key.hash(), key.requestHash(), now) == 0) {
        return before(key);
      }
      var answer = act.get();
      rows.answer(key.hash(), answer.participantId(), answer.status(), answer.body());
      return answer;
    });
  }

  /**
   * Returns the stored reply if the act was carried out before. Use it for acts that need an
   * expensive step first.
   *
   * @throws ApiProblem as {@link #once} does
   */
  Optional<Answer> answered(Key key) {
    return transactions.read(() ->
        rows.find(key.hash())
            .filter(row -> !row.createdAt().isBefore(clock.instant().minus(KEPT)))
            .map(row -> before(key, row)));
  }

  private Answer before(Key key) {
    return before(key, rows.find(key.hash()).orElseThrow());
  }

  private static Answer before(Key key, JdbcIdempotency.Row row) {
    if (row.status() == HttpStatus.GONE.getCode()) {
      throw new ApiProblem(
          HttpStatus.GONE,
          "The participant or note of the first request with this Idempotency-Key has since been"
              + " erased, edited or removed; use a new key for a new request.");
    }
    if (!row.requestHash().equals(key.requestHash())) {
      throw new ApiProblem(
          HttpStatus.UNPROCESSABLE_ENTITY,
          "This Idempotency-Key was used with a different request before; use a new key for a"
              + " new request.");
    }
    return new Answer(String.valueOf(row.participantId()), row.status(), row.response(), true);
  }

  /**
   * Removes the stored replies about something of a participant, so that its words do not outlive
   * it there; joins the running transaction.
   *
   * @param id the id of what was created, which its reply has
   */
  public void forget(String participantId, String id) {
    rows.clearOf(participantId, id, HttpStatus.GONE.getCode());
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.clear(participantId, HttpStatus.GONE.getCode());
  }
}
