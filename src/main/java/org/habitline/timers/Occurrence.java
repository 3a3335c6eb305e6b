package org.habitline.timers;

import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * One daily prompt of one local date.
 *
 * @param turn the turn that wrote the prompt
 * @param promptedAt when that turn was committed
 * @param sentAt when the provider accepted the prompt
 * @param pending whether it was sent and its reminder, or its question about the outcome, may still
 *     be sent
 * @param askedAt when the question about the outcome was written: with the prompt, or later
 * @param questionOpen whether no text and no other question has come since, not even in the same
 *     turn
 * @param outcome what came of it, or {@code null} until somebody says
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
    @Nullable Instant askedAt,
    boolean questionOpen,
    @Nullable PromptOutcome outcome) {

  /** The key of an occurrence: a date and a slot of one participant. */
  public record Key(LocalDate date, int slot) {

    /** Returns the text stored as the guard of a wake-up. */
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

  /** The progress of an occurrence. */
  public enum Status {
    PLANNED,
    /** Its prompt is in the outbox. */
    PROMPTING,
    /** The provider accepted its prompt. */
    SENT,
    /** Its prompt was not sent, and will not be. */
    REFUSED,
    /** Its time passed without a prompt. */
    MISSED,
    /** It was cancelled before its time. */
    CANCELLED,
    /** Staff skipped it. */
    SKIPPED;

    /** Returns whether its date may be planned again. */
    boolean free() {
      return this == PLANNED || this == CANCELLED;
    }
  }

  /** Returns whether the participant said that they did it. */
  public boolean done() {
    return outcome == PromptOutcome.DONE;
  }

  /** Returns a copy with this outcome. */
  public Occurrence with(PromptOutcome said) {
    return new Occurrence(
        key,
        scheduleId,
        moment,
        status,
        reason,
        turn,
        promptedAt,
        sentAt,
        pending,
        reminderDueAt,
        remindedAt,
        respondedAt,
        askedAt,
        questionOpen,
        said);
  }

  /** Returns whether its prompt was sent or is about to be. */
  public boolean prompted() {
    return status == Status.PROMPTING || status == Status.SENT;
  }
}
