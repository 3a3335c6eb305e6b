package org.habitline.ops.start;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.habitline.ops.access.SecretSeal;
import org.habitline.ops.database.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * The key in the file {@code accounts.key} in the home folder, created when first needed. It seals
 * the second factors of accounts (AES-256-GCM), so that a backup of the database alone does not
 * hold them.
 */
@Singleton
final class AccountsKey implements SecretSeal {

  static final String NAME = "accounts.key";

  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final Path file;
  private final SecureRandom random = new SecureRandom();

  /** Guarded by this. */
  private @Nullable SecretKeySpec key;

  AccountsKey(@Value("${habitline.home}") String home) {
    this.file = Path.of(home, NAME);
  }

  @Override
  public String seal(byte[] secret) {
    var nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      var sealed = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(secret);
      var whole = Arrays.copyOf(nonce, nonce.length + sealed.length);
      System.arraycopy(sealed, 0, whole, nonce.length, sealed.length);
      return Base64.getEncoder().encodeToString(whole);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java platform lacks AES with GCM.", e);
    }
  }

  @Override
  public byte[] open(String sealed) {
    var whole = Base64.getDecoder().decode(sealed);
    try {
      return cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(whole, NONCE_BYTES))
          .doFinal(whole, NONCE_BYTES, whole.length - NONCE_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          NAME
              + " in the home folder is not the key that sealed the second factors of the"
              + " accounts; copy it from the home folder where the service ran before, or from"
              + " another node.",
          e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
    var cipher = Cipher.getInstance(CIPHER);
    cipher.init(mode, key(), new GCMParameterSpec(TAG_BITS, nonce));
    return cipher;
  }

  private synchronized SecretKeySpec key() {
    var known = key;
    if (known == null) {
      try {
        known = new SecretKeySpec(PrivateFiles.key(file), "AES");
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
