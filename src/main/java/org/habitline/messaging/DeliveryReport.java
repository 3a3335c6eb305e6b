package org.habitline.messaging;

import org.jspecify.annotations.Nullable;

/**
 * What a provider says became of a text.
 *
 * @param status the provider's own word
 * @param errorCode the provider's code, if the text failed
 * @param optOut whether it failed because the person told the provider to be left alone
 */
public record DeliveryReport(
    String providerId, String status, Rank rank, @Nullable String errorCode, boolean optOut) {

  /** How far a text came. It only ever comes farther; one that was delivered does not fail. */
  public enum Rank {
    ACCEPTED(1),
    SENT(2),
    FAILED(3),
    DELIVERED(4),
    READ(5);

    private final int progress;

    Rank(int progress) {
      this.progress = progress;
    }

    int progress() {
      return progress;
    }

    /** The word of the ledger for a text that came this far. */
    static String word(int progress) {
      for (var rank : values()) {
        if (rank.progress == progress) {
          return rank.name().toLowerCase(java.util.Locale.ROOT);
        }
      }
      throw new IllegalArgumentException("There is no progress " + progress);
    }
  }
}
