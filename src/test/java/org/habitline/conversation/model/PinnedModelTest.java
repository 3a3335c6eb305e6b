package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.habitline.RunningLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.junit.jupiter.api.Test;

/** What happens when a server answers with another model than the one asked. */
final class PinnedModelTest {

  private static Scripted by(String model) {
    return Scripted.say("Hello.").by(model);
  }

  private static RunningLine line(String study) {
    var line =
        RunningLine.in(PinnedModelTest.class).study(study).with("openai.model", "small").start();
    line.fake().otherwise(request -> by("small"));
    return line;
  }

  @Test
  void withoutAPolicyTheReplyIsSentAndRecordedAsThatOfAnotherModel() {
    try (var line = line("contact: {name: Sam, email: sam@example.org}\n")) {
      var robin = line.greeted();
      line.fake().then(by("large"));
      assertThat(line.answered(robin, "one")).containsEntry("outcome", "replied");
      assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().metadata())
          .containsEntry("other_model", "true");
      assertThat(line.bean(PinnedModels.class).count()).isEqualTo(1);
      line.fake().then(by("small-2025-08-07"));
      line.answered(robin, "two");
      assertThat(line.iterations(robin, 3).iteration(1).orElseThrow().metadata())
          .doesNotContainKey("other_model");
    }
  }

  @Test
  void aStudyThatRefusesSendsTheFlowsOwnTextAndRunsNoTool() {
    try (var line = line("model_policy: refuse\nmodel_snapshots: [tiny]\n")) {
      var robin = line.greeted();
      line.fake().then(by("tiny"));
      assertThat(line.answered(robin, "one")).containsEntry("outcome", "replied");
      line.fake()
          .then(Scripted.call("save_user_profile", "{\"prompt_anchor\":\"tea\"}").by("large"));
      assertThat(line.answered(robin, "two"))
          .containsEntry("outcome", "other_model")
          .containsEntry("model_failure", "other_model")
          .containsEntry("reason", "the server answered with the model large instead of small");
      assertThat(line.phone(robin).getLast())
          .isEqualTo(line.bean(FlowCatalog.class).defaultFlow().texts().errorFallback());
      assertThat(line.data(robin).getOrDefault("userProfile", "")).doesNotContain("tea");
      assertThat(line.iterations(robin, 3).iteration(1).orElseThrow().metadata())
          .containsEntry("other_model", "true")
          .containsEntry("answer", "failed");
      assertThat(line.column("SELECT cost FROM charge WHERE participant_id = ?", robin.id()))
          .as("what the refused reply cost is recorded too")
          .hasSizeGreaterThanOrEqualTo(4);
    }
  }
}
