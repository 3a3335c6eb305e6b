package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A tool call in a plan: an offered tool, with arguments that fit its schema.
 *
 * @param decisive whether the plan makes no further calls if this one fails
 * @param beside whether it may be called in one answer with the call before it
 */
record Act(String tool, ObjectNode arguments, boolean decisive, boolean beside) {

  Act(String tool, ObjectNode arguments, boolean decisive) {
    this(tool, arguments, decisive, false);
  }

  static final String SAVE = "save_user_profile";
  static final String WRITE_DATA = "write_data";
  static final String READ_DATA = "read_data";
  static final String EXPORT = "export_data";
  static final String MOVE = "transition_state";
  static final String WRITE = "generate_habit_prompt";
  static final String SCHEDULE = "scheduler";
  static final String FLAG = "flag_for_staff";

  /** Returns this call as one that may fail without stopping the plan. */
  Act inPassing() {
    return new Act(tool, arguments, false, beside);
  }

  /** Returns this call as one that may be called in one answer with the call before it. */
  Act besides() {
    return new Act(tool, arguments, decisive, true);
  }
}
