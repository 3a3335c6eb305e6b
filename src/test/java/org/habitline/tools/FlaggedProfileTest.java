package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The packaged fitness flow: no target weight that is too low, and no eating plan with a flag. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FlaggedProfileTest {

  private final ToolCatalog tools =
      new ToolCatalog(
          List.of(new SaveUserProfile(), new TransitionState(), new FlagForStaff(), new OptOut()));
  private Flow flow;
  private Profile profile;
  private List<Effect> effects;

  @BeforeAll
  void read(@TempDir Path home) throws IOException {
    copy(home);
    flow = new FlowCatalog(home, "fitness", tools, Optional.empty(), text -> false).defaultFlow();
  }

  private static void copy(Path home) throws IOException {
    var from = Path.of("config/flows/fitness");
    try (var files = Files.walk(from)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var to = home.resolve("config/flows/fitness").resolve(from.relativize(file));
        Files.createDirectories(to.getParent());
        Files.copy(file, to);
      }
    }
  }

  @BeforeEach
  void nobodyYet() {
    profile = Habit.profile(Map.of());
    effects = List.of();
  }

  /** Saves in a module and keeps what came of it, as the next turn would find it. */
  private ObjectNode save(String module, String arguments) {
    var run = Habit.run(flow, module, profile, "unasked");
    var outcome = new SaveUserProfile().call(run, Habit.json(arguments));
    effects = outcome.effects();
    profile = Habit.after(run, outcome).copy().profile();
    return outcome.result();
  }

  private static final Effect FLAGGED = new Effect.AlertStaff("diet_concern");

  @Test
  void aTargetWeightIsSavedOnlyWithTheHeight() {
    var alone = save("GOAL_SETTING", "{\"target_weight_kg\":75}");
    assertThat(alone.path("status").asText()).isEqualTo("error");
    assertThat(alone.path("field").asText()).isEqualTo("target_weight_kg");
    assertThat(alone.path("message").asText())
        .isEqualTo("This is accepted only with height_cm; save that first, or both together.");

    save("GOAL_SETTING", "{\"target_weight_kg\":75,\"height_cm\":180}");
    assertThat(profile.fields()).containsOnlyKeys("target_weight_kg", "height_cm");
    assertThat(effects).doesNotContain(FLAGGED);
  }

  @Test
  void aTargetWeightThatIsTooLowIsNotSavedAndStaffAreTold() {
    for (var row : List.of("170,53.9", "165.1,53", "120,36", "230,97")) {
      nobodyYet();
      var numbers = row.split(",", -1);
      var result =
          save(
              "GOAL_SETTING",
              "{\"height_cm\":%s,\"target_weight_kg\":%s}".formatted(numbers[0], numbers[1]));
      assertThat(result.path("status").asText()).as(row).isEqualTo("success");
      assertThat(result.path("changed").toString()).isEqualTo("[\"height_cm\",\"diet_concern\"]");
      assertThat(result.path("notes").toString()).contains("target_weight_kg was not saved");
      assertThat(profile.fields()).as(row).containsOnlyKeys("height_cm", "diet_concern");
      assertThat(effects).contains(FLAGGED);
    }
    nobodyYet();
    save("GOAL_SETTING", "{\"height_cm\":170,\"target_weight_kg\":54}");
    assertThat(effects).as("the lowest one for this height").doesNotContain(FLAGGED);
    save("GOAL_SETTING", "{\"height_cm\":190}");
    assertThat(profile.fields())
        .as("a height that makes it too low")
        .containsOnlyKeys("height_cm", "diet_concern");
    assertThat(effects).contains(FLAGGED);
  }

  @Test
  void aFlagStaysTrueAndThereIsNoEatingPlan() {
    save(
        "DIET_PLANNING",
        "{\"diet_choice\":\"plan\",\"diet_plan\":\"Porridge.\",\"food_restrictions\":[\"nuts\"]}");
    var raised = save("DIET_PLANNING", "{\"diet_concern\":true}");
    assertThat(raised.path("notes").toString()).contains("diet_plan was not kept");
    assertThat(profile.fields()).containsOnlyKeys("food_restrictions", "diet_concern");
    assertThat(effects).contains(FLAGGED);

    for (var refused :
        List.of(
            "{\"diet_concern\":false}",
            "{\"clear_fields\":[\"diet_concern\"]}",
            "{\"diet_plan\":\"Porridge.\"}",
            "{\"diet_choice\":\"plan\"}")) {
      var result = save("DIET_PLANNING", refused);
      assertThat(result.path("status").asText()).as(refused).isEqualTo("error");
      assertThat(result.path("field").asText()).isNotBlank();
      assertThat(effects).as(refused).isEmpty();
    }
    assertThat(save("DIET_PLANNING", "{\"diet_choice\":\"plan\"}").path("valid_values").toString())
        .isEqualTo("[\"no_plan\"]");
    assertThat(save("GOAL_SETTING", "{\"target_weight_kg\":90,\"height_cm\":180}").toString())
        .contains("Not accepted while diet_concern is true.");

    var choice = SaveUserProfile.field(flow.profile(), "diet_choice").orElseThrow();
    assertThat(List.of("plan", "no_plan"))
        .as("also for whoever writes without a tool, such as a quick reply")
        .filteredOn(it -> ProfileStatus.isAllowed(flow, profile, choice, TextNode.valueOf(it)))
        .containsExactly("no_plan");

    var done = save("DIET_PLANNING", "{\"diet_choice\":\"no_plan\"}");
    assertThat(done.path("missing").toString())
        .as("what is forbidden is not asked for")
        .isEqualTo("[]");
    assertThat(profile.completed()).containsKey("DIET_PLANNING");
    assertThat(save("DIET_PLANNING", "{\"diet_concern\":true}").path("status").asText())
        .isEqualTo("noop");
  }

  @Test
  void aMoveDoesNotWaitForAFieldThatAFlagForbids(@TempDir Path home) throws IOException {
    copy(home);
    var file = home.resolve("config/flows/fitness/flow.yaml");
    var yaml = Files.readString(file);
    Files.writeString(
        file,
        yaml.replace(
            "SCHEDULING: {when_complete: [diet_choice]}",
            "SCHEDULING: {when_complete: [diet_choice, diet_plan]}"));
    assertThat(Files.readString(file)).isNotEqualTo(yaml);
    var strict =
        new FlowCatalog(home, "fitness", tools, Optional.empty(), text -> false).defaultFlow();
    save("DIET_PLANNING", "{\"diet_choice\":\"no_plan\"}");
    assertThat(move(strict).path("missing_fields").toString()).isEqualTo("[\"diet_plan\"]");
    save("DIET_PLANNING", "{\"diet_concern\":true}");
    assertThat(move(strict).path("status").asText()).isEqualTo("success");
  }

  private ObjectNode move(Flow within) {
    return new TransitionState()
        .call(
            Habit.run(within, "DIET_PLANNING", profile, "unasked"),
            Habit.json(
                "{\"target_state\":\"SCHEDULING\",\"delay_minutes\":null,\"reason\":\"done\"}"))
        .result();
  }

  @Test
  void aStampGoesWithARequiredValueAndComesBackWithIt() {
    save(
        "SCHEDULING",
        "{\"workout_days\":[\"Monday\"],\"workout_time\":\"18:30\",\"start_date\":\"2026-11-23\"}");
    assertThat(profile.completed()).containsOnlyKeys("SCHEDULING");
    save("SCHEDULING", "{\"clear_fields\":[\"workout_time\"]}");
    assertThat(profile.completed()).isEmpty();
    assertThat(((Effect.SaveProfile) effects.getFirst()).changes())
        .extracting(Effect.Change::field)
        .containsExactly("workout_time", "completed_at.SCHEDULING");
    save("SCHEDULING", "{\"workout_time\":\"19:00\"}");
    assertThat(profile.completed()).containsOnlyKeys("SCHEDULING");
  }

  @Test
  void theLastModuleIsStampedWhenNothingIsMissing() {
    save("SCHEDULING", "{\"workout_days\":[\"Monday\"],\"workout_time\":\"18:30\"}");
    assertThat(profile.completed()).isEmpty();

    save("SCHEDULING", "{\"start_date\":\"2026-11-23\"}");
    assertThat(profile.completed()).containsOnly(Map.entry("SCHEDULING", Habit.NOW));
    assertThat(((Effect.SaveProfile) effects.getFirst()).changes())
        .extracting(Effect.Change::field)
        .containsExactly("start_date", "completed_at.SCHEDULING");

    save("SCHEDULING", "{\"workout_time\":\"19:00\"}");
    assertThat(((Effect.SaveProfile) effects.getFirst()).changes())
        .as("a later change does not stamp again")
        .extracting(Effect.Change::field)
        .containsExactly("workout_time");
  }
}
