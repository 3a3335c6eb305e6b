package org.habitline.timers;

import org.jspecify.annotations.Nullable;

/**
 * An outcome of a daily prompt as it is recorded, with its source.
 *
 * @param outcome {@code null} makes it unknown again
 * @param turn the turn whose texts said it, or {@code null} if staff record it
 * @param staff who recorded it, or {@code null} if it was not staff
 * @param note what was said about it, at most {@link #LONGEST_NOTE} characters
 */
public record OutcomeEntry(
    @Nullable PromptOutcome outcome,
    By by,
    @Nullable Integer turn,
    @Nullable String staff,
    @Nullable String note) {

  public static final int LONGEST_NOTE = 300;

  /** Who recorded an outcome. */
  public enum By {
    /** The participant's text is one of the words for it, or the prompt did not arrive. */
    RULE,
    /** The coach understood it. */
    MODEL,
    STAFF
  }

  /** Returns that the outcome is unknown again, because the prompt did not arrive. */
  public static OutcomeEntry notArrived() {
    return new OutcomeEntry(null, By.RULE, null, null, "the prompt did not arrive");
  }

  /** Returns an outcome that a member of staff records. */
  public static OutcomeEntry byStaff(
      @Nullable PromptOutcome outcome, String staff, @Nullable String note) {
    return new OutcomeEntry(outcome, By.STAFF, null, staff, note);
  }
}
