package org.habitline.safety.rules;

import java.util.Locale;

/**
 * What a message is about. If several kinds are equally urgent, the first one here is reported,
 * because help for it is needed soonest.
 */
public enum RiskKind {
  OVERDOSE_OR_MEDICAL,
  SUICIDE_OR_SELF_HARM,
  ABUSE,
  THREAT_TO_OTHERS;

  /** Returns the word for this kind in files and reports. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
