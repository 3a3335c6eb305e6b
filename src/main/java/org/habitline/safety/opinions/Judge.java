package org.habitline.safety.opinions;

import org.habitline.llm.Deadline;

/**
 * Gives a second opinion. Blocks until the deadline at most; never throws for what a server did.
 */
interface Judge {

  Opinion judge(Words words, Deadline deadline);

  /** Returns the opinion if none came in time. */
  Opinion tooSlow();
}
