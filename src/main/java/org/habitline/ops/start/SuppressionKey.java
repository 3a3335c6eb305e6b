package org.habitline.ops.start;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HexFormat;
import org.habitline.Hashes;
import org.habitline.ops.database.PrivateFiles;
import org.habitline.participants.NumberHash;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.Suppressed;
import org.jspecify.annotations.Nullable;

/**
 * The key in the file {@code suppression.key} in the home folder, created when first needed: 32
 * random bytes as hexadecimal digits. It is in no backup of the database; without it no one can
 * find out by trying which number a hash belongs to.
 */
@Singleton
public final class SuppressionKey implements NumberHash {

  public static final String NAME = "suppression.key";

  private final Path file;
  private byte @Nullable [] key;

  SuppressionKey(@Value("${habitline.home}") String home) {
    this.file = Path.of(home, NAME);
  }

  /**
   * Refuses a start with another key than the first that the database saw: opted-out numbers would
   * be messaged again.
   *
   * @throws StartFailure if the key is another one, or its file cannot be read and written
   */
  public static void check(Suppressed suppressed) {
    boolean known;
    try {
      known = suppressed.knowsTheKey();
    } catch (UncheckedIOException e) {
      throw new StartFailure(
          "HABITLINE_HOME: "
              + NAME
              + " in it cannot be read and written; let the user that runs the service read and"
              + " write that file, and make sure that it contains its original 64 hexadecimal"
              + " digits.");
    }
    if (!known) {
      throw new StartFailure(
          "HABITLINE_HOME: "
              + NAME
              + " in it is not the key of this database, so the service would not recognise"
              + " opted-out numbers. Copy that file from the home folder where the service ran"
              + " before, or from another node, and start again.");
    }
  }

  @Override
  public String of(PhoneNumber phone) {
    return hashed(phone.e164());
  }

  @Override
  public String ofName(String sender) {
    return hashed("name:" + sender);
  }

  @Override
  public String fingerprint() {
    return hashed("fingerprint");
  }

  private String hashed(String text) {
    return HexFormat.of().formatHex(Hashes.hmac("HmacSHA256", key(), text));
  }

  private synchronized byte[] key() {
    var known = key;
    if (known == null) {
      try {
        known = PrivateFiles.key(file);
      } catch (IOException | IllegalArgumentException e) {
        throw new UncheckedIOException(
            NAME + " in the home folder cannot be read and written.",
            new IOException(e.toString()));
      }
      key = known;
    }
    return known;
  }
}
