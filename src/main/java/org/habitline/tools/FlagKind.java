package org.habitline.tools;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What the coach flags for staff. */
public enum FlagKind {
  /** Something bad happened to the participant, such as an injury or a new symptom. */
  ADVERSE_EVENT,
  /** They stopped a medicine, or take it in another way than prescribed. */
  MEDICATION_STOPPED,
  /** They ask for a person. */
  WANTS_A_PERSON,
  /** They or somebody else may be in danger, and no rule found it. It is always urgent. */
  DANGER,
  /** Anything else that staff should see. */
  OTHER;

  /** Returns the word that the model, the database and the API use, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
