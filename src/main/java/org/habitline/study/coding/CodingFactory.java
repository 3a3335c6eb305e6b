package org.habitline.study.coding;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.List;
import org.habitline.config.HomeText;
import org.habitline.conversation.model.PinnedModels;
import org.habitline.llm.LanguageModel;
import org.habitline.protocol.BrokenStudy;
import org.jspecify.annotations.Nullable;

/** Provides the coder; only the command asks for it, so that the service does not need its file. */
@Factory
final class CodingFactory {

  private static final String FOLDER = "config/coder";
  private static final String FILE = "outcome.txt";

  /**
   * Returns the coder of the configured model server.
   *
   * @throws BrokenStudy if its instructions cannot be used
   */
  @Singleton
  OutcomeCoder outcomeCoder(
      LanguageModel model,
      PinnedModels models,
      @Value("${habitline.home}") String home,
      @Value("${habitline.coder.model:}") @Nullable String named) {
    var instructions =
        HomeText.read(Path.of(home).toAbsolutePath().normalize(), FOLDER, FILE)
            .orElseThrow(() ->
                new BrokenStudy(
                    List.of(
                        FOLDER
                            + "/"
                            + FILE
                            + ": expected a text in UTF-8 that tells the model what to do")));
    return new OutcomeCoder(
        model,
        models,
        named == null || named.isBlank() ? usual(model) : named.strip(),
        instructions);
  }

  private static String usual(LanguageModel model) {
    return model.models().stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("No model is configured."));
  }
}
