package org.habitline.protocol;

import java.util.Locale;

/** A check of what a model says, before it is sent. {@code docs/safety.md} describes each. */
public enum ReplyGate {
  /** No phone number, link or e-mail address that nobody gave the model. */
  CONTACTS,
  /** No dosage of a medicine and no diagnosis. */
  MEDICAL,
  /** No long part of the instructions, word for word. */
  INSTRUCTIONS,
  /** No claim of an action without a call that carried it out. */
  CLAIMS,
  /** The language of the participant. */
  LANGUAGE;

  /** Returns the word used in {@code config/study.yaml}, in records and in metrics: lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
