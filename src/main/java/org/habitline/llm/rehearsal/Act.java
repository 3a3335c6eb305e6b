package org.habitline.llm.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A call that a plan makes: an offered tool, and arguments that fit its schema. */
record Act(String tool, ObjectNode arguments) {

  static final String SAVE = "save_user_profile";
  static final String MOVE = "transition_state";
  static final String WRITE = "generate_habit_prompt";
}
