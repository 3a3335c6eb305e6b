package org.habitline.messaging;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The status of a delivery, from planned to read. Habitline changes it until the provider accepts
 * the message; after that the provider's reports change it, and only forward. Listed from worst to
 * best.
 */
public enum DeliveryStatus {
  /** The message was not sent and will not be. */
  REFUSED(0),
  FAILED(6),
  UNDELIVERED(6),
  CANCELED(6),
  /** The message may have been sent; look-ups continue, or were given up after ten minutes. */
  UNKNOWN(0),
  /** A worker is asking the provider whether the message was sent. */
  LOOKING(0),
  /** The message is waiting to be sent. */
  PLANNED(0),
  /** A worker is giving the message to the provider, or, once accepted, the carrier has it. */
  SENDING(4),
  SCHEDULED(1),
  ACCEPTED(2),
  QUEUED(3),
  SENT(5),
  DELIVERED(7),
  READ(8);

  /** The rank of the statuses that mean the provider failed; they are final. */
  static final int FAILED_RANK = 6;

  /** Statuses in which a worker may be sending the message, or it may have been sent. */
  public static final Set<DeliveryStatus> IN_HANDS = EnumSet.of(SENDING, LOOKING, UNKNOWN);

  /** Statuses in which Habitline still has something to do. */
  public static final Set<DeliveryStatus> OPEN = EnumSet.of(PLANNED, SENDING, LOOKING, UNKNOWN);

  /** Statuses in which the message reached no one, or it is not known whether it did. */
  public static final Set<DeliveryStatus> NOT_DELIVERED =
      EnumSet.of(FAILED, UNDELIVERED, CANCELED, REFUSED, UNKNOWN);

  /** Statuses of messages that a provider accepted, whatever happened to them later. */
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

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns how far the message got, by the provider's reports; it never goes down. */
  public int rank() {
    return rank;
  }

  /** Returns whether the provider accepted the message and then failed to deliver it. */
  public boolean failed() {
    return rank == FAILED_RANK;
  }

  /** Returns whether the message left the provider. */
  public boolean left() {
    return rank >= SENT.rank && !failed();
  }

  /** Returns whether the provider may have the message without having confirmed it. */
  public boolean mayHaveGoneOut() {
    return this == UNKNOWN || this == LOOKING;
  }

  /**
   * Returns the status that a provider's word stands for. A word we do not know is the lowest
   * status of an accepted message, so it changes nothing.
   */
  public static DeliveryStatus reported(String word) {
    return Arrays.stream(values())
        .filter(status -> status.rank > 0 && status.word().equals(word))
        .findFirst()
        .orElse(SCHEDULED);
  }
}
