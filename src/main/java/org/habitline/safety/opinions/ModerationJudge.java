package org.habitline.safety.opinions;

import java.time.Duration;
import java.util.Set;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.Moderation;
import org.habitline.llm.Moderation.Category;
import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.jspecify.annotations.Nullable;

/**
 * Asks a moderation endpoint, which sees no overdose and no abuse. The intent to harm oneself is a
 * crisis; whatever else it finds is a concern, because it cannot tell a story from a danger.
 */
final class ModerationJudge implements Judge {

  /** OpenAI's model for texts in many languages. */
  private static final String USUAL_MODEL = "omni-moderation-latest";

  private final Moderation moderation;
  private final String model;

  ModerationJudge(Moderation moderation, @Nullable String named) {
    this.moderation = moderation;
    this.model = named == null ? USUAL_MODEL : named;
  }

  @Override
  public Opinion tooSlow() {
    return Opinion.none(OpinionStatus.TOO_SLOW, source(0));
  }

  @Override
  public Opinion judge(Words words, Deadline deadline) {
    var began = System.nanoTime();
    var outcome = moderation.judge(words.participant(), model, deadline);
    var source = source(Duration.ofNanos(System.nanoTime() - began).toMillis());
    return switch (outcome) {
      case Moderation.Outcome.Judged judged -> opinion(judged.found(), source);
      case Moderation.Outcome.Failed failed ->
          Opinion.none(
              failed.failure() == ModelFailure.TOO_LATE
                  ? OpinionStatus.TOO_SLOW
                  : OpinionStatus.FAILED,
              source);
    };
  }

  private static Opinion opinion(Set<Category> found, Opinion.Source source) {
    if (found.contains(Category.SELF_HARM_INTENT)) {
      return Opinion.given(Level.CRISIS, RiskKind.SUICIDE_OR_SELF_HARM, null, source);
    }
    if (found.contains(Category.SELF_HARM)) {
      return Opinion.given(Level.CONCERN, RiskKind.SUICIDE_OR_SELF_HARM, null, source);
    }
    return found.contains(Category.VIOLENCE)
        ? Opinion.given(Level.CONCERN, RiskKind.THREAT_TO_OTHERS, null, source)
        : Opinion.given(Level.NONE, null, null, source);
  }

  private Opinion.Source source(long millis) {
    return new Opinion.Source(SecondOpinionPlan.By.MODERATION, model, null, 0, 0, millis);
  }
}
