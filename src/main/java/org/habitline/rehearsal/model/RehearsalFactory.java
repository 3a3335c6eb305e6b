package org.habitline.rehearsal.model;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelNotConfigured;

/** Provides the script when no model server is configured. */
@Factory
@Requires(condition = ModelNotConfigured.class)
final class RehearsalFactory {

  @Singleton
  LanguageModel model(FlowCatalog flows) {
    return new RehearsalModel(flows::phrases);
  }
}
