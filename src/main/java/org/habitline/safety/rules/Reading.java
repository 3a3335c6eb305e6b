package org.habitline.safety.rules;

import java.time.ZonedDateTime;

/**
 * When a person reads messages, for the fixed texts. Times are in the zone in which they are said;
 * {@code named}: whether the zone is said with them, because the participant's is not known.
 */
public sealed interface Reading {

  /** The study does not say when. */
  record Unknown() implements Reading {}

  /** Now, and for at least a day. */
  record Now() implements Reading {}

  /** Now, until then. */
  record Until(ZonedDateTime end, boolean named) implements Reading {}

  /**
   * Not now; next from then.
   *
   * @param today whether that is today
   */
  record From(ZonedDateTime begin, boolean today, boolean named) implements Reading {}
}
