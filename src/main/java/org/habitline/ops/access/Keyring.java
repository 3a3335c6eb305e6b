package org.habitline.ops.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.habitline.staff.web.ApiProblem;

/**
 * Looks up keys and tokens and limits guessing: wrong ones count as attempts to sign in, and a
 * source over the limit may only use secrets that were valid from there before.
 */
@Singleton
final class Keyring {

  private static final int REMEMBERED = 10_000;

  private final LoginBrake brake;
  private final RefusedEntries refused;

  /** Sources with the hashes of secrets that were valid from there. */
  private final Cache<String, Boolean> good = Caffeine.newBuilder().maximumSize(REMEMBERED).build();

  Keyring(LoginBrake brake, RefusedEntries refused) {
    this.brake = brake;
    this.refused = refused;
  }

  /**
   * Looks up a secret. Requests that come at once with the same one are one attempt: a program that
   * begins with many requests is not taken for somebody who guesses.
   *
   * @throws ApiProblem 429 if too many attempts from this source were wrong
   */
  <T> Optional<T> find(
      RefusedEntries.Door door, String source, String secret, Supplier<Optional<T>> look) {
    var known = source + " " + Secrets.hash(secret);
    try {
      // The cache lets one caller try a secret while others who have the same wait for the answer.
      var found = good.get(known, it -> isValid(source, look)) ? look.get() : Optional.<T>empty();
      if (found.isEmpty()) {
        good.invalidate(known);
        refused.refused(door, source);
      }
      return found;
    } catch (ApiProblem refusal) {
      good.invalidate(known);
      refused.refused(door, source);
      throw refusal;
    }
  }

  private <T> boolean isValid(String source, Supplier<Optional<T>> look) {
    if (!brake.mayTry(source)) {
      throw new ApiProblem(
          HttpStatus.TOO_MANY_REQUESTS,
          "Too many wrong keys came from this address; try again in a minute.",
          Duration.ofMinutes(1));
    }
    var found = look.get().isPresent();
    if (found) {
      brake.wasGood(source);
    }
    return found;
  }
}
