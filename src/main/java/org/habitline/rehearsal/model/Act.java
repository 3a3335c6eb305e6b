package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A call that a plan makes: an offered tool, and arguments that fit its schema.
 *
 * @param decisive whether nothing more is called once it has failed
 */
record Act(String tool, ObjectNode arguments, boolean decisive) {

  static final String SAVE = "save_user_profile";
  static final String MOVE = "transition_state";
  static final String WRITE = "generate_habit_prompt";
  static final String SCHEDULE = "scheduler";

  /** The same call, after which the plan goes on whatever it came to. */
  Act inPassing() {
    return new Act(tool, arguments, false);
  }
}
