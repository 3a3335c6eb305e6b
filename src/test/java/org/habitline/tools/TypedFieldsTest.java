package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Fields of every type, owned by modules, through the tools that save them and hand over. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TypedFieldsTest {

  private static final String YAML =
      """
      id: fit
      initial_state: ASSESS
      modules:
        ASSESS:
          prompt: talk.txt
          tools:
            - save_user_profile
            - transition_state:
                to:
                  - GOALS: {when_complete: [level, limits]}
        GOALS:
          prompt: talk.txt
          tools:
            - save_user_profile
            - transition_state: {to: [ASSESS]}
      profile:
        level: {type: choice, values: [beginner, advanced], required: true, module: ASSESS, description: Level.}
        limits: {type: list, max_items: 2, max_length: 10, required: true, module: ASSESS, description: Limits.}
        weight: {type: number, minimum: 30, maximum: 250, required: true, module: GOALS, description: Weight.}
        days: {type: integer, minimum: 1, maximum: 7, module: GOALS, description: Days.}
        outside: {type: boolean, module: GOALS, description: Outside.}
        begins: {type: date, minimum: "2026-11-01", module: GOALS, description: Begins.}
        name: {min_length: 2, max_length: 20, description: Name.}
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private final ToolCatalog tools =
      new ToolCatalog(List.of(new SaveUserProfile(), new TransitionState(), new FlagForStaff()));
  private Flow flow;

  @BeforeAll
  void read(@TempDir Path home) throws IOException {
    Files.writeString(
        Files.createDirectories(home.resolve("config/flows/fit")).resolve("flow.yaml"), YAML);
    Files.writeString(
        Files.createDirectories(home.resolve("config/flows/fit/prompts")).resolve("talk.txt"),
        "Talk.");
    flow = new FlowCatalog(home, "fit", tools, Optional.empty(), text -> false).defaultFlow();
  }

  private ToolOutcome call(String module, Profile profile, Tool tool, String arguments) {
    return tool.call(Habit.run(flow, module, profile, "unasked"), Habit.json(arguments));
  }

  private ObjectNode save(String module, String arguments) {
    return call(module, Habit.profile(Map.of()), new SaveUserProfile(), arguments).result();
  }

  private static Profile saved(ToolOutcome outcome) {
    return ((Effect.SaveProfile) outcome.effects().getFirst()).profile();
  }

  @Test
  void eachModuleIsOfferedItsOwnFieldsAndThoseOfNoModule() {
    var schema = new SaveUserProfile().spec(flow, flow.module("GOALS").orElseThrow()).schema();

    assertThat(schema.path("properties").properties())
        .extracting(Map.Entry::getKey)
        .containsExactly("weight", "days", "outside", "begins", "name", "clear_fields");
    assertThat(schema.at("/properties/weight/type").toString()).isEqualTo("[\"number\",\"null\"]");
    assertThat(schema.at("/properties/days/type").toString()).isEqualTo("[\"integer\",\"null\"]");
    assertThat(schema.at("/properties/outside/type").toString())
        .isEqualTo("[\"boolean\",\"null\"]");
  }

  @Test
  void valuesAreSavedAsJsonOfTheirType() {
    var outcome =
        call(
            "GOALS",
            Habit.profile(Map.of()),
            new SaveUserProfile(),
            """
            {"weight":75.0,"days":3,"outside":"TRUE","begins":"2026-12-01","name":" Ada "}
            """);

    assertThat(new ProfileJson().write(saved(outcome)))
        .startsWith(
            "{\"begins\":\"2026-12-01\",\"days\":3,\"name\":\"Ada\",\"outside\":true,\"weight\":75,");
    assertThat(outcome.result().path("missing").toString()).isEqualTo("[]");
  }

  @Test
  void theSameNumberWrittenOtherwiseIsNoChange() {
    var first = call("GOALS", Habit.profile(Map.of()), new SaveUserProfile(), "{\"weight\":75}");
    var again = call("GOALS", saved(first), new SaveUserProfile(), "{\"weight\":75.00}");

    assertThat(again.result().path("status").asText()).isEqualTo("noop");
  }

  @Test
  void aWrongTypeOrBoundIsRefusedWithTheFieldAndTheRule() {
    Map.of(
            "{\"weight\":\"heavy\"}", "A number from 30 to 250 is expected, not a text.",
            "{\"weight\":29.9}", "A number from 30 to 250 is expected, not 29.9.",
            "{\"weight\":1e999}", "A number from 30 to 250 is expected, not Infinity.",
            "{\"days\":2.5}", "A whole number from 1 to 7 is expected, not 2.5.",
            "{\"days\":99999999999}", "A whole number from 1 to 7 is expected, not 99999999999.",
            "{\"outside\":\"perhaps\"}", "True or false is expected, not a text.",
            "{\"begins\":\"2026-10-31\"}",
                "A date such as 2026-11-21, not before 2026-11-01 is expected.",
            "{\"begins\":\"tomorrow\"}",
                "A date such as 2026-11-21, not before 2026-11-01 is expected.",
            "{\"name\":\"A\"}", "The text has 1 characters; at least 2 are expected.")
        .forEach((arguments, message) -> {
          var result = save("GOALS", arguments);
          assertThat(result.path("status").asText()).as(arguments).isEqualTo("error");
          assertThat(result.path("message").asText()).isEqualTo(message);
          assertThat(arguments).contains('"' + result.path("field").asText() + '"');
        });
    assertThat(save("ASSESS", "{\"limits\":[\"a\",\"b\",\"c\"]}").path("message").asText())
        .isEqualTo("The list has 3 items; at most 2 are accepted.");
    assertThat(save("ASSESS", "{\"limits\":[\"lower back pain\"]}").path("message").asText())
        .isEqualTo("An item has 15 characters; at most 10 are accepted.");
    assertThat(save("ASSESS", "{\"weight\":80}").path("valid_values").toString())
        .as("another module's field")
        .isEqualTo("[\"level\",\"limits\",\"name\",\"clear_fields\"]");
  }

  @Test
  void aMoveWaitsForItsFieldsAndStampsTheModuleThatHandsOver() {
    var level =
        saved(
            call(
                "ASSESS",
                Habit.profile(Map.of()),
                new SaveUserProfile(),
                "{\"level\":\"Beginner\"}"));
    var early =
        call("ASSESS", level, new TransitionState(), "{\"target_state\":\"GOALS\"}").result();
    assertThat(early.path("status").asText()).isEqualTo("error");
    assertThat(early.path("missing_fields").toString()).isEqualTo("[\"limits\"]");

    var complete = saved(call("ASSESS", level, new SaveUserProfile(), "{\"limits\":[]}"));
    var moved = call("ASSESS", complete, new TransitionState(), "{\"target_state\":\"GOALS\"}");
    assertThat(moved.effects()).hasSize(2);
    assertThat(moved.effects().getLast()).isInstanceOf(Effect.MoveState.class);
    var stamped = saved(moved);
    assertThat(ProfileJson.byModule(flow, stamped).toString())
        .isEqualTo(
            "{\"assess\":{\"level\":\"beginner\",\"limits\":[],\"completed_at\":\""
                + Habit.NOW
                + "\"}}");
    var json = new ProfileJson();
    assertThat(json.read(json.write(stamped))).isEqualTo(stamped);
  }

  @Test
  void anEmptyListDoesNotWipeOneThatHasItems() {
    var knee =
        saved(
            call(
                "ASSESS",
                Habit.profile(Map.of()),
                new SaveUserProfile(),
                "{\"limits\":[\"knee\"]}"));
    for (var given : List.of("{\"limits\":[]}", "{\"limits\":[\" \"]}")) {
      var outcome = call("ASSESS", knee, new SaveUserProfile(), given);
      assertThat(outcome.effects()).as(given).isEmpty();
      assertThat(outcome.result().path("notes")).hasSize(1);
    }
    var cleared =
        saved(call("ASSESS", knee, new SaveUserProfile(), "{\"clear_fields\":[\"limits\"]}"));
    assertThat(cleared.fields()).isEmpty();
  }

  @Test
  void toneArgumentsInAFlowWithoutToneDoNotRefuseTheCall() {
    var outcome =
        call(
            "ASSESS",
            Habit.profile(Map.of()),
            new SaveUserProfile(),
            "{\"name\":\"Ada\",\"tone_tags\":[\"concise\"]}");

    assertThat(saved(outcome).fields()).containsOnlyKeys("name");
    assertThat(saved(outcome).tone()).isEqualTo(Tone.unknown());
    assertThat(outcome.result().path("notes").toString()).contains("does not learn it");
  }

  @Test
  void aModuleMovesOnlyWhereItsFlowAllows() {
    var result =
        call(
                "GOALS",
                Habit.profile(Map.of()),
                new TransitionState(),
                "{\"target_state\":\"GOALS\"}")
            .result();

    assertThat(result.path("valid_values").toString()).isEqualTo("[\"ASSESS\"]");
  }
}
