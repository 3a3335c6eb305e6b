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
 * Looks up what a program shows, and brakes guessing: wrong keys and tokens count like attempts to
 * sign in, and from a source with too many only what was good there before is looked up.
 */
@Singleton
final class Keyring {

  private static final int REMEMBERED = 10_000;

  private final LoginBrake brake;
  private final RefusedEntries refused;

  /** Source and hash of what was good there. */
  private final Cache<String, Boolean> good = Caffeine.newBuilder().maximumSize(REMEMBERED).build();

  Keyring(LoginBrake brake, RefusedEntries refused) {
    this.brake = brake;
    this.refused = refused;
  }

  /**
   * Looks a secret up.
   *
   * @throws ApiProblem 429 if too many were wrong from this source
   */
  <T> Optional<T> find(
      RefusedEntries.Door door, String source, String secret, Supplier<Optional<T>> look) {
    var known = source + " " + Secrets.hash(secret);
    var wasGood = good.getIfPresent(known) != null;
    if (!wasGood && !brake.mayTry(source)) {
      refused.refused(door, source);
      throw new ApiProblem(
          HttpStatus.TOO_MANY_REQUESTS,
          "Too many wrong keys came from this address; try again in a minute.",
          Duration.ofMinutes(1));
    }
    var found = look.get();
    if (found.isEmpty()) {
      good.invalidate(known);
      refused.refused(door, source);
    } else {
      good.put(known, true);
      if (!wasGood) {
        brake.wasGood(source);
      }
    }
    return found;
  }
}
