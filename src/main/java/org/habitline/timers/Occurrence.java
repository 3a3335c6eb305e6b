package org.habitline.timers;

import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * One prompt of one local date.
 *
 * @param turn the turn that wrote the prompt
 * @param promptedAt when that turn was committed
 * @param sentAt when the provider accepted the prompt
 * @param pending sent, and neither answered nor reminded of
 * @param done whether the participant said that they did it
 */
public record Occurrence(
    Key key,
    String scheduleId,
    Moment moment,
    Status status,
    @Nullable String reason,
    @Nullable Integer turn,
    @Nullable Instant promptedAt,
    @Nullable Instant sentAt,
    boolean pending,
    @Nullable Instant reminderDueAt,
    @Nullable Instant remindedAt,
    @Nullable Instant respondedAt,
    boolean done) {

  /** What there is one of: a date and a slot of one participant. */
  public record Key(LocalDate date, int slot) {

    /** As it stands in the guard of a wake-up. */
    public String text() {
      return date + "#" + slot;
    }

    /** Reads what {@link #text} wrote. */
    public static Key read(String text) {
      var hash = text.indexOf('#');
      return new Key(
          LocalDate.parse(text.substring(0, hash)), Integer.parseInt(text.substring(hash + 1)));
    }
  }

  /** How far an occurrence came. */
  public enum Status {
    PLANNED,
    /** Its prompt stands in the outbox. */
    PROMPTING,
    /** The provider accepted its prompt. */
    SENT,
    /** Its prompt was not sent, and will not be. */
    REFUSED,
    /** Its time passed without a prompt. */
    MISSED,
    /** Somebody took it back before its time. */
    CANCELLED;

    /** Whether its date may be planned again. */
    boolean free() {
      return this == PLANNED || this == CANCELLED;
    }
  }

  /** Whether a prompt of it went out, or is about to. */
  public boolean prompted() {
    return status == Status.PROMPTING || status == Status.SENT;
  }
}
