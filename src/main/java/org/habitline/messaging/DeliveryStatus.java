package org.habitline.messaging;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Where a delivery stands, from being planned to being read. The line moves it until the provider
 * accepts it; after that the provider's reports do, forward only. Listed from worst to best.
 */
public enum DeliveryStatus {
  /** It was not sent and will not be. */
  REFUSED(0),
  FAILED(6),
  UNDELIVERED(6),
  CANCELED(6),
  /** It may have gone out: it is looked up, or was given up after ten minutes of that. */
  UNKNOWN(0),
  /** A worker is asking the provider whether it was sent. */
  LOOKING(0),
  /** It waits to be sent. */
  PLANNED(0),
  /** A worker is giving it to the provider; of one that was accepted: its carrier has it. */
  SENDING(4),
  SCHEDULED(1),
  ACCEPTED(2),
  QUEUED(3),
  SENT(5),
  DELIVERED(7),
  READ(8);

  /** The rank of those that failed at the provider: they stay so. */
  static final int FAILED_RANK = 6;

  /** Those that a worker may be giving to the provider, or that may have gone out. */
  public static final Set<DeliveryStatus> IN_HANDS = EnumSet.of(SENDING, LOOKING, UNKNOWN);

  /** Those that the line has still to do something about. */
  public static final Set<DeliveryStatus> OPEN = EnumSet.of(PLANNED, SENDING, LOOKING, UNKNOWN);

  /** Those that did not reach anybody, or of which that is not known. */
  public static final Set<DeliveryStatus> NOT_DELIVERED =
      EnumSet.of(FAILED, UNDELIVERED, CANCELED, REFUSED, UNKNOWN);

  /** Those that a provider took, whatever became of them then. */
  public static final Set<DeliveryStatus> TAKEN =
      EnumSet.of(
          SCHEDULED,
          ACCEPTED,
          QUEUED,
          SENDING,
          SENT,
          FAILED,
          UNDELIVERED,
          CANCELED,
          DELIVERED,
          READ);

  private final int rank;

  DeliveryStatus(int rank) {
    this.rank = rank;
  }

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns how far a provider's report says that it came; it only ever comes farther. */
  public int rank() {
    return rank;
  }

  /** Whether the provider took it and gave it up. */
  public boolean failed() {
    return rank == FAILED_RANK;
  }

  /** Whether it left the provider. */
  public boolean left() {
    return rank >= SENT.rank && !failed();
  }

  /** Whether the provider may have it without having said so. */
  public boolean mayHaveGoneOut() {
    return this == UNKNOWN || this == LOOKING;
  }

  /**
   * Returns what a provider's word says of a text that it took. A word that is new to us moves
   * nothing.
   */
  public static DeliveryStatus reported(String word) {
    return Arrays.stream(values())
        .filter(status -> status.rank > 0 && status.word().equals(word))
        .findFirst()
        .orElse(SCHEDULED);
  }
}
