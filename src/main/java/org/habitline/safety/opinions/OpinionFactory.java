package org.habitline.safety.opinions;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.habitline.config.HomeText;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.Moderation;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.storage.Transactions;

/**
 * Provides the second opinions that the study wants. A rehearsal has none: its model is a script.
 */
@Factory
final class OpinionFactory {

  private static final String FOLDER = "config/safety";
  private static final String FILE = "second-opinion.txt";

  private final Path home;

  OpinionFactory(@Value("${habitline.home}") String home) {
    this.home = Path.of(home).toAbsolutePath().normalize();
  }

  /** Reads the prompt file at startup, so that a broken one stops it. */
  @Context
  SecondOpinions secondOpinions(
      StudyFile study,
      LanguageModel model,
      Optional<Moderation> moderation,
      CrisisRules rules,
      JdbcOpinions rows,
      List<OpinionListener> listeners,
      Transactions transactions,
      Clock clock) {
    var plan = study.secondOpinion();
    return new SecondOpinions(
        plan.flatMap(it -> judge(it, model, moderation, rules)),
        plan.map(SecondOpinionPlan::timeout).orElse(Duration.ZERO),
        rows,
        listeners,
        transactions,
        clock);
  }

  private Optional<Judge> judge(
      SecondOpinionPlan plan,
      LanguageModel model,
      Optional<Moderation> moderation,
      CrisisRules rules) {
    if (model.rehearsal()) {
      return Optional.empty();
    }
    return switch (plan.by()) {
      case MODEL -> Optional.of(new ModelJudge(model, plan.model(), prompt(), rules));
      case MODERATION -> moderation.map(it -> new ModerationJudge(it, plan.model()));
    };
  }

  private String prompt() {
    return HomeText.read(home, FOLDER, FILE)
        .orElseThrow(() ->
            new BrokenStudy(
                List.of(
                    FOLDER
                        + "/"
                        + FILE
                        + ": expected a text in UTF-8 that tells the model what to do")));
  }
}
