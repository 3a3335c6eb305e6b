package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A form with fields of every type, and what a flow may say about the tools that fill it in. */
class FormToolsTest {

  private static final String YAML =
      """
      id: form
      initial_state: TALK
      modules:
        TALK:
          prompt: talk.txt
          tools: [write_data, read_data, export_data: {summary_prompt: summary.txt}]
        LATER:
          prompt: talk.txt
          tools: [read_data]
      profile:
        employee_name: {max_length: 20, required: true, description: Name.}
        kit: {type: choice, values: [mouse, keyboard], aliases: [starter_kit], description: Kit.}
        meeting: {type: boolean, description: Meeting.}
        days: {type: integer, minimum: 1, maximum: 5, description: Days.}
        hours: {type: number, minimum: 1, maximum: 8.5, description: Hours.}
        begins: {type: date, description: Begins.}
        allergies: {type: list, max_items: 2, description: Allergies.}
        later: {module: LATER, required: true, description: Later.}
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  @TempDir Path home;

  private ToolCatalog tools;

  @BeforeEach
  void make() {
    tools =
        new ToolCatalog(
            List.of(
                new WriteData(),
                new ReadData(),
                new ExportData(new FormSummary(), new ExportFiles(home))));
  }

  private Flow flow(String yaml) throws IOException {
    var folder = Files.createDirectories(home.resolve("config/flows/form"));
    Files.writeString(folder.resolve("flow.yaml"), yaml);
    var prompts = Files.createDirectories(folder.resolve("prompts"));
    Files.writeString(prompts.resolve("talk.txt"), "Talk.");
    Files.writeString(prompts.resolve("summary.txt"), "Summarize.");
    return new FlowCatalog(home, "form", tools, Optional.empty(), text -> false).defaultFlow();
  }

  private ToolOutcome call(Profile profile, String tool, String arguments) throws IOException {
    var flow = flow(YAML);
    var module = flow.module("TALK").orElseThrow();
    var run = Habit.run(flow, module.id(), profile, "- One point.");
    return tools.call(run, module, Habit.call(tool, arguments));
  }

  private ObjectNode write(String field, String value) throws IOException {
    return call(
            Habit.profile(Map.of()),
            "write_data",
            "{\"field_name\":\"%s\",\"value\":%s}".formatted(field, value))
        .result();
  }

  @Test
  void aValueIsSavedInTheTypeOfItsField() throws IOException {
    assertThat(write("kit", "\"MOUSE\""))
        .hasToString("{\"status\":\"success\",\"field_name\":\"kit\",\"value\":\"mouse\"}");
    assertThat(write("starter_kit", "\"mouse\"").path("field_name").asText()).isEqualTo("kit");
    assertThat(write("meeting", "\"true\"").path("value").booleanValue()).isTrue();
    assertThat(write("meeting", "false").path("value").isBoolean()).isTrue();
    assertThat(write("days", "3.0").path("value")).hasToString("3");
    assertThat(write("hours", "7.50").path("value")).hasToString("7.5");
    assertThat(write("begins", "\"2026-12-01\"").path("value").asText()).isEqualTo("2026-12-01");
    assertThat(write("allergies", "[\"nuts\",\" \"]").path("value")).hasToString("[\"nuts\"]");
  }

  @Test
  void aListIsReplacedAlsoByAnEmptyOne() throws IOException {
    var filled = call(Habit.profile(Map.of()), "write_data", list("[\"nuts\"]"));
    var profile = ((Effect.SaveProfile) filled.effects().getFirst()).profile();
    var emptied = call(profile, "write_data", list("[]"));
    assertThat(emptied.result().path("value")).hasToString("[]");
    assertThat(emptied.effects()).hasSize(1);
  }

  private static String list(String value) {
    return "{\"field_name\":\"allergies\",\"value\":%s}".formatted(value);
  }

  @Test
  void aValueThatDoesNotFitIsRefusedWithTheFieldAndWhatIsValid() throws IOException {
    assertThat(write("kit", "\"laptop\"").path("valid_values"))
        .hasToString("[\"mouse\",\"keyboard\"]");
    assertThat(write("meeting", "\"perhaps\"").path("valid_values"))
        .hasToString("[\"true\",\"false\"]");
    assertThat(write("employee_name", "\"" + "x".repeat(21) + "\"").path("message").asText())
        .isEqualTo("The text has 21 characters; at most 20 are accepted.");
    assertThat(write("days", "6").path("field").asText()).isEqualTo("days");
    assertThat(write("kit", "null").path("valid_values")).hasToString("[\"mouse\",\"keyboard\"]");
    for (var unknown : List.of("later", "nothing")) {
      assertThat(write(unknown, "\"x\"").path("valid_values"))
          .as("the fields of the module")
          .hasToString(
              "[\"employee_name\",\"kit\",\"meeting\",\"days\",\"hours\",\"begins\",\"allergies\"]");
    }
  }

  @Test
  void theModelIsOfferedTheTypesThatTheFieldsHave() throws IOException {
    var flow = flow(YAML);
    var schema =
        tools.tool("write_data").orElseThrow().spec(flow, flow.module("TALK").orElseThrow());
    assertThat(schema.schema().at("/properties/value/type"))
        .hasToString("[\"array\",\"boolean\",\"integer\",\"number\",\"string\"]");
  }

  @Test
  void theFieldsOfEveryModuleAreReadAndRequired() throws IOException {
    assertThat(call(Habit.profile(Map.of()), "read_data", "{\"field_names\":[\"later\",\"kit\"]}"))
        .extracting(ToolOutcome::result)
        .hasToString("{\"status\":\"success\",\"later\":null,\"kit\":null}");
    var refused =
        call(Habit.profile(Map.of("employee_name", "Ada Example")), "export_data", "{}").result();
    assertThat(refused.path("missing_fields")).hasToString("[\"later\"]");
    assertThat(refused.path("required_fields")).hasToString("[\"employee_name\",\"later\"]");
  }

  @Test
  void aFlowWithoutAFieldForItHasItsSummaryInTheExport() throws IOException {
    var exported =
        call(
            Habit.profile(Map.of("employee_name", "Ada Example", "later", "yes")),
            "export_data",
            "{}");
    assertThat(exported.effects())
        .extracting(Effect::getClass)
        .containsExactly(Effect.PutRecord.class, Effect.PublishExport.class);
    assertThat(((Effect.PutRecord) exported.effects().getFirst()).json())
        .contains("\"conversation_summary\" : \"- One point.\"");
  }

  @Test
  void aFlowThatCannotBeExportedStopsTheStart() {
    var prefix = "config/flows/form/flow.yaml: modules.TALK.tools[2]";
    Map.of(
            YAML.replace(": {summary_prompt: summary.txt}", ""),
            prefix + ".summary_prompt: missing; expected a text",
            YAML.replace("summary.txt", "../summary.txt"),
            prefix
                + ".summary_prompt: expected the name of a .txt file in the prompts folder, found"
                + " '../summary.txt' (line 6)",
            YAML.replace("summary.txt", "other.txt"),
            "config/flows/form/prompts/other.txt: the file is missing",
            YAML.replace("  kit:", "  exported_at:"),
            prefix + ": export_data writes 'exported_at' itself",
            YAML.replace("  meeting:", "  conversation_summary:"),
            prefix + ": the field conversation_summary is not a text; expected the type text")
        .forEach((yaml, message) ->
            assertThatThrownBy(() -> flow(yaml))
                .isInstanceOf(BrokenFlow.class)
                .hasMessageStartingWith(message));
  }

  @Test
  void aFieldThatTheResultNeedsItselfStopsTheStart() {
    assertThatThrownBy(() -> flow(YAML.replace("  kit:", "  status:")))
        .isInstanceOf(BrokenFlow.class)
        .hasMessageContaining("read_data cannot show a field called 'status'");
  }
}
