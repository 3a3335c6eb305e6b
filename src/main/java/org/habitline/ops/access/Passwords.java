package org.habitline.ops.access;

import com.nulabinc.zxcvbn.Zxcvbn;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.jspecify.annotations.Nullable;

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

  /** Shorter words are in good passwords by chance. */
  private static final int SHORTEST_WORD = 3;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Base64.Encoder TEXT = Base64.getEncoder().withoutPadding();
  private static final Pattern STORED =
      Pattern.compile(
          "\\$argon2id\\$v=19\\$m=(?<memory>\\d+),t=(?<passes>\\d+),p=1\\$(?<salt>[^$]+)\\$(?<hash>[^$]+)");

  private final Zxcvbn guesser = new Zxcvbn();
  private final Semaphore atOnce = new Semaphore(AT_ONCE);

  /** The hash of nobody's password. Guarded by this. */
  private @Nullable String nobodys;

  /** Returns the hash with its salt and cost, in the PHC string format. */
  String hash(String password) {
    var salt = new byte[SALT];
    RANDOM.nextBytes(salt);
    return bounded(() ->
        "$argon2id$v=19$m=%d,t=%d,p=1$%s$%s"
            .formatted(
                MEMORY_KIB,
                PASSES,
                TEXT.encodeToString(salt),
                TEXT.encodeToString(argon(password, salt, MEMORY_KIB, PASSES))));
  }

  private static byte[] argon(String password, byte[] salt, int memory, int passes) {
    var generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withMemoryAsKB(memory)
            .withIterations(passes)
            .withParallelism(1)
            .withSalt(salt)
            .build());
    var hash = new byte[BYTES];
    generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), hash);
    return hash;
  }

  /** Hashes with the salt and the cost that are stored, so that the cost can be raised later. */
  private static boolean same(String stored, String password) {
    var found = STORED.matcher(stored);
    return found.matches()
        && MessageDigest.isEqual(
            Base64.getDecoder().decode(found.group("hash")),
            argon(
                password,
                Base64.getDecoder().decode(found.group("salt")),
                Integer.parseInt(found.group("memory")),
                Integer.parseInt(found.group("passes"))));
  }

  /**
   * Returns whether the password belongs to the hash. Without a hash the answer is no, after the
   * same time, so that no one can find out which addresses have accounts.
   */
  boolean matches(@Nullable String hash, String password) {
    var compared = hash == null ? nobodys() : hash;
    return bounded(() -> same(compared, password)) && hash != null;
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
   * common passwords, words and names. What an attacker knows of the person counts for nothing.
   *
   * @param about words that an attacker knows, such as the person's name
   */
  Optional<String> complaint(String password, List<String> about) {
    var length = password.codePointCount(0, password.length());
    if (length < SHORTEST || length > LONGEST) {
      return Optional.of("password: expected " + SHORTEST + " to " + LONGEST + " characters.");
    }
    var rest = password;
    for (var word : about) {
      if (word.length() >= SHORTEST_WORD) {
        rest = rest.replaceAll("(?iu)" + Pattern.quote(word), "");
      }
    }
    var measured = rest.substring(0, Math.min(MEASURED, rest.length()));
    return guesser.measure(measured).getScore() >= GOOD
        ? Optional.empty()
        : Optional.of(
            "password: easy to guess, because it is a common password, a name, or made of them."
                + " Use several words that do not belong together, or let a password manager make"
                + " one.");
  }
}
