package org.habitline.safety.rules;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * What a message or an incident is about. If several kinds are equally urgent, the first one here
 * is reported, because help for it is needed soonest. Rules find the first four; the others come
 * from the coach.
 */
public enum RiskKind {
  OVERDOSE_OR_MEDICAL,
  SUICIDE_OR_SELF_HARM,
  ABUSE,
  THREAT_TO_OTHERS,
  /** A danger of which nobody said what it is. */
  DANGER,
  ADVERSE_EVENT,
  MEDICATION_STOPPED,
  WANTS_A_PERSON,
  OTHER,
  /**
   * Somebody says that they are younger than the study allows: no danger, and no alert at night.
   */
  UNDERAGE;

  private static final Set<RiskKind> OF_RULES =
      EnumSet.of(OVERDOSE_OR_MEDICAL, SUICIDE_OR_SELF_HARM, ABUSE, THREAT_TO_OTHERS);

  /** Returns the kinds that rules may name, and for which every language has a text. */
  public static Set<RiskKind> ofRules() {
    return Set.copyOf(OF_RULES);
  }

  /** Returns whether languages have a fixed text of their own for a crisis of this kind. */
  public boolean hasText() {
    return this == UNDERAGE || OF_RULES.contains(this);
  }

  /** Returns whether somebody may be in danger, so that they get a fixed text. */
  public boolean isDanger() {
    return this == DANGER || OF_RULES.contains(this);
  }

  /** Returns the word for this kind in files and reports. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
