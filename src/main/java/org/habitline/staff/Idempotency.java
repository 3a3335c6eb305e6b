package org.habitline.staff;

import io.micronaut.http.HttpStatus;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * Carries a request out once, however often it is sent (the IETF draft's {@code Idempotency-Key}).
 * The answer is stored in the transaction of the act itself, so a crash leaves both or neither; a
 * request that failed leaves nothing and may be sent again. Kept for a day.
 */
@Singleton
final class Idempotency {

  private static final Duration KEPT = Duration.ofDays(1);

  private final JdbcIdempotency rows;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;

  Idempotency(
      JdbcIdempotency rows,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock clock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** A key belongs to whoever sent it, and to one request. */
  record Key(String owner, String value, String request) {
    String hash() {
      return Idempotency.hash(owner + "\n" + value);
    }

    String requestHash() {
      return Idempotency.hash(request);
    }
  }

  /** What was answered. */
  record Answer(int status, String body, boolean replayed) {
    Answer(int status, String body) {
      this(status, body, false);
    }
  }

  /**
   * Carries the act out, or repeats the answer it gave before.
   *
   * @throws ApiProblem 422 if the key came with another request before
   */
  Answer once(Key key, Supplier<Answer> act) {
    return transactions.executeWrite(status -> {
      var now = clock.instant();
      rows.forget(now.minus(KEPT));
      if (rows.begin(key.hash(), key.requestHash(), now) == 0) {
        return before(key);
      }
      var answer = act.get();
      rows.answer(key.hash(), answer.status(), answer.body());
      return answer;
    });
  }

  private Answer before(Key key) {
    var row = rows.find(key.hash()).orElseThrow();
    if (!row.requestHash().equals(key.requestHash())) {
      throw new ApiProblem(
          HttpStatus.UNPROCESSABLE_ENTITY,
          "This Idempotency-Key came with another request before; use a new key for a new request.");
    }
    return new Answer(row.status(), row.response(), true);
  }

  private static String hash(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
