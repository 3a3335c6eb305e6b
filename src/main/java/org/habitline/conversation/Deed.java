package org.habitline.conversation;

import java.time.LocalDate;
import java.util.Optional;
import org.habitline.timers.Occurrence;

/** What the turn of a wake-up does beside its texts and effects, in the transaction it commits. */
sealed interface Deed {

  /**
   * The prompt of an occurrence goes out.
   *
   * @param asksIntensity the local date on which the intensity is asked for with it, if it is
   */
  record Prompted(Occurrence.Key key, Optional<LocalDate> asksIntensity) implements Deed {}

  /** The time of an occurrence passed without a prompt. */
  record Missed(Occurrence.Key key, String reason) implements Deed {}

  /** Whoever was silent after a prompt is reminded; nobody waits for a reply any more. */
  record Reminded(Occurrence.Key key) implements Deed {}

  /** The reminder of a prompt is not sent; nobody waits for a reply any more. */
  record NotReminded(Occurrence.Key key) implements Deed {}

  /**
   * The participant is asked how a prompt went, or is not asked after all.
   *
   * @param feedbackState what holds then
   */
  record CheckedIn(String feedbackState) implements Deed {}

  /** Another module answers from now on. */
  record Moved(String to) implements Deed {}

  /** Nothing more. */
  record Nothing() implements Deed {}
}
