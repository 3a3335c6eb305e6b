package org.habitline.messaging;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a provider says became of a text.
 *
 * @param status the provider's own word
 * @param errorCode the provider's code, if the text failed
 * @param fate what that code means, if there is one
 */
public record DeliveryReport(
    String providerId, String status, Rank rank, @Nullable String errorCode, @Nullable Fate fate) {

  /**
   * How far a text came. It only ever comes farther; one that failed stays so, and one that was
   * delivered does not fail.
   */
  public enum Rank {
    SCHEDULED(1),
    ACCEPTED(2),
    QUEUED(3),
    SENDING(4),
    SENT(5),
    FAILED(6),
    UNDELIVERED(6),
    CANCELED(6),
    DELIVERED(7),
    READ(8);

    static final int ENDED = 6;

    private final int progress;

    Rank(int progress) {
      this.progress = progress;
    }

    int progress() {
      return progress;
    }

    /** The word of the ledger. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the rank of a provider's word; one that is new to us is kept and moves nothing. */
    public static Rank of(String status) {
      return Arrays.stream(values())
          .filter(rank -> rank.word().equals(status))
          .findFirst()
          .orElse(SCHEDULED);
    }

    /** Whether the text left the provider. */
    boolean left() {
      return progress >= SENT.progress && !failed();
    }

    boolean failed() {
      return progress == ENDED;
    }
  }
}
