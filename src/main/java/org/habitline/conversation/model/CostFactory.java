package org.habitline.conversation.model;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.time.Clock;
import org.habitline.budgets.Charges;
import org.habitline.budgets.Spending;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.protocol.StudyFile;

/** Provides the costs of model calls, at startup, so that a missing price stops it. */
@Factory
final class CostFactory {

  @Context
  CallCosts callCosts(
      Spending spending,
      Charges charges,
      PinnedModels models,
      LanguageModel model,
      FlowCatalog flows,
      StudyFile study,
      Clock clock) {
    return CallCosts.checked(spending, charges, models, model, flows, study.secondOpinion(), clock);
  }
}
