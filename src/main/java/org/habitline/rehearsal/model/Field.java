package org.habitline.rehearsal.model;

/** The profile fields of the habit flow that the script reads and saves. */
final class Field {

  static final String MOMENT = "prompt_anchor";
  static final String TIME = "preferred_time";
  static final String REASON = "motivational_frame";
  static final String HABIT = "habit_domain";
  static final String MORE = "additional_info";
  static final String INTENSITY = "intensity";
  static final String MOTIVATOR = "last_motivator";
  static final String SUCCESS = "last_successful_prompt";
  static final String BARRIER = "last_barrier";
  static final String TWEAK = "last_tweak";

  private Field() {}
}
