package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A tool call in a plan: an offered tool, with arguments that fit its schema.
 *
 * @param decisive whether the plan makes no further calls if this one fails
 */
record Act(String tool, ObjectNode arguments, boolean decisive) {

  static final String SAVE = "save_user_profile";
  static final String MOVE = "transition_state";
  static final String WRITE = "generate_habit_prompt";
  static final String SCHEDULE = "scheduler";

  /** Returns this call as one that may fail without stopping the plan. */
  Act inPassing() {
    return new Act(tool, arguments, false);
  }
}
