package org.habitline.conversation.stored;

/** The keys of state data that are stored, as seed 003 names them. */
public final class StateKeys {

  public static final String CONVERSATION_STATE = "conversationState";
  public static final String USER_PROFILE = "userProfile";
  public static final String LAST_HABIT_PROMPT = "lastHabitPrompt";

  /** The text of the next daily prompt, if it was prepared in advance. */
  public static final String PREPARED_PROMPT = "preparedHabitPrompt";

  public static final String LAST_INTENSITY_PROMPT_DATE = "lastIntensityPromptDate";

  /** The status that the participant was last told, so that each is told only once. */
  public static final String STATUS_TEXT_SENT = "statusTextSent";

  /** A choice that a script offered and that is not made yet. */
  public static final String OPEN_BRANCH = "openBranchPrompt";

  /**
   * When a script first messaged the participant; texts since then are kept for scripts to read.
   */
  public static final String TEXTED_BY_SCRIPT = "firstScriptedPromptAt";

  /** The current state of everyone who is enrolled; there is no other value. */
  static final String CONVERSATION_ACTIVE = "CONVERSATION_ACTIVE";

  private StateKeys() {}
}
