package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.util.Optional;
import org.habitline.participants.Participant;
import org.habitline.protocol.ConsentPlan;
import org.habitline.protocol.StudyFile;

/**
 * Says whether a participant still has to consent before a model may see a word of theirs. Depends
 * on the participant and the study's file alone, so that a new version of the consent text counts
 * from the next start. Safe for any number of threads.
 */
@Singleton
public final class ConsentGate {

  /** Why nothing is sent without consent. */
  public static final String REASON = "the participant has not consented";

  private final Optional<ConsentPlan> plan;

  ConsentGate(StudyFile study) {
    this.plan = study.consent();
  }

  /** Returns whether the study asks for consent and has none from this participant or contact. */
  public boolean isMissing(Participant participant) {
    return version().filter(version -> !participant.consent().covers(version)).isPresent();
  }

  /** Returns the version of the consent text that counts, or empty if the study asks nobody. */
  public Optional<String> version() {
    return plan.flatMap(ConsentPlan::version);
  }

  /** Returns why the coach may not message them, or empty if consent is no obstacle. */
  public Optional<String> whyNotCoached(Participant participant) {
    return isMissing(participant) ? Optional.of(REASON) : Optional.empty();
  }

  /** Returns how the study asks, or empty if it asks nobody. */
  public Optional<ConsentPlan> asking() {
    return plan.filter(it -> it.version().isPresent());
  }
}
