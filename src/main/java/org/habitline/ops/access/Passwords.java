package org.habitline.ops.access;

import com.nulabinc.zxcvbn.Zxcvbn;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;

/**
 * Hashes passwords with Argon2id (RFC 9106) and refuses those that are easy to guess. One hash
 * takes {@value #MEMORY_KIB} KiB for a moment, so only {@value #AT_ONCE} are computed at once.
 */
@Singleton
final class Passwords {

  static final int SHORTEST = 12;
  static final int LONGEST = 200;

  private static final int SALT = 16;
  private static final int BYTES = 32;
  private static final int MEMORY_KIB = 19_456;
  private static final int PASSES = 2;
  private static final int AT_ONCE = 4;

  /** zxcvbn's score from which a password withstands guesses at a stolen hash for a while. */
  private static final int GOOD = 3;

  /** What comes after it changes no verdict, and zxcvbn's time grows with the square. */
  private static final int MEASURED = 64;

  private final Argon2PasswordEncoder argon =
      new Argon2PasswordEncoder(SALT, BYTES, 1, MEMORY_KIB, PASSES);
  private final Zxcvbn guesser = new Zxcvbn();
  private final Semaphore atOnce = new Semaphore(AT_ONCE);

  /** The hash of nobody's password. Guarded by this. */
  private @Nullable String nobodys;

  String hash(String password) {
    return bounded(() -> String.valueOf(argon.encode(password)));
  }

  /**
   * Returns whether the password belongs to the hash. Without a hash the answer is no, after the
   * same time, so that no one can find out which addresses have accounts.
   */
  boolean matches(@Nullable String hash, String password) {
    var compared = hash == null ? nobodys() : hash;
    return bounded(() -> argon.matches(password, compared)) && hash != null;
  }

  private synchronized String nobodys() {
    if (nobodys == null) {
      nobodys = hash(Secrets.next());
    }
    return nobodys;
  }

  private <T> T bounded(Supplier<T> work) {
    atOnce.acquireUninterruptibly();
    try {
      return work.get();
    } finally {
      atOnce.release();
    }
  }

  /**
   * Returns why the password is not accepted, as a sentence, or empty if it is. It is compared with
   * common passwords, words and names, and with what an attacker knows of the person.
   */
  Optional<String> complaint(String password, List<String> about) {
    var length = password.codePointCount(0, password.length());
    if (length < SHORTEST || length > LONGEST) {
      return Optional.of("password: expected " + SHORTEST + " to " + LONGEST + " characters.");
    }
    var measured = password.substring(0, Math.min(MEASURED, password.length()));
    return guesser.measure(measured, about).getScore() >= GOOD
        ? Optional.empty()
        : Optional.of(
            "password: easy to guess, because it is a common password, a name, or made of them."
                + " Use several words that do not belong together, or let a password manager make"
                + " one.");
  }
}
