package org.habitline.conversation.stored;

/** The keys of state data that are stored, as seed 003 names them. */
public final class StateKeys {

  public static final String CONVERSATION_STATE = "conversationState";
  public static final String USER_PROFILE = "userProfile";
  public static final String LAST_HABIT_PROMPT = "lastHabitPrompt";

  /** What the next scheduled prompt says, if it was written before. */
  public static final String PREPARED_PROMPT = "preparedHabitPrompt";

  public static final String LAST_INTENSITY_PROMPT_DATE = "lastIntensityPromptDate";

  /** Which status text the participant was sent last, so that it goes out once only. */
  public static final String STATUS_TEXT_SENT = "statusTextSent";

  /** A choice that a script gave and that is not made yet. */
  public static final String OPEN_BRANCH = "openBranchPrompt";

  /** When a script texted them first: what they say since is kept for scripts to read. */
  public static final String TEXTED_BY_SCRIPT = "firstScriptedPromptAt";

  /** The one value of the current state of everybody who is enrolled. */
  static final String CONVERSATION_ACTIVE = "CONVERSATION_ACTIVE";

  private StateKeys() {}
}
