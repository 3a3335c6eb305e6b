package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A new tool without a fixture here fails this test. */
class EveryToolTest {

  /** Keywords that every server with strict schemas accepts. */
  private static final Set<String> STRICT_KEYWORDS =
      Set.of(
          "type", "description", "properties", "required", "additionalProperties", "items", "enum");

  /**
   * Calls of one tool.
   *
   * @param works strict arguments that ask for an effect
   * @param looksUp strict arguments that are answered and change nothing
   * @param refused arguments that are an error
   */
  private record Fixture(List<String> works, List<String> looksUp, List<String> refused) {

    Fixture(List<String> works, List<String> refused) {
      this(works, List.of(), refused);
    }
  }

  /** Arguments of a task tool, in the participant's name. */
  private static String own(String others) {
    return "{\"user_id\":\"%s\"%s}".formatted(Habit.participant().id(), others);
  }

  private static final Map<String, Fixture> FIXTURES =
      Map.ofEntries(
          Map.entry(
              "transition_state",
              new Fixture(
                  List.of(
                      "{\"target_state\":\"FEEDBACK\",\"delay_minutes\":null,\"reason\":null}",
                      "{\"target_state\":\"FEEDBACK\",\"delay_minutes\":2.5,\"reason\":\"done\"}"),
                  List.of(
                      "{}",
                      "{\"target_state\":null}",
                      "{\"target_state\":\"NOWHERE\"}",
                      "{\"target_state\":[\"FEEDBACK\"]}",
                      "{\"target_state\":\"FEEDBACK\",\"delay_minutes\":-5}"))),
          Map.entry(
              "save_user_profile",
              new Fixture(
                  List.of(
                      """
                      {"prompt_anchor":"before a meeting","preferred_time":null,"habit_domain":null,
                       "last_barrier":null,"intensity":"low","tone_tags":null,
                       "tone_update_source":null,"tone_confidence":null,"clear_fields":null}\
                      """,
                      """
                      {"prompt_anchor":null,"preferred_time":null,"habit_domain":null,
                       "last_barrier":null,"intensity":null,"tone_tags":["concise"],
                       "tone_update_source":"explicit","tone_confidence":0.9,
                       "clear_fields":["preferred_time"]}\
                      """),
                  List.of(
                      "{\"unknown\":1}", "{\"intensity\":\"x\"}", "{\"clear_fields\":[\"x\"]}"))),
          Map.entry(
              "scheduler",
              new Fixture(
                  List.of(
                      """
                      {"action":"create","type":"fixed","fixed_time":"8:15","random_start_time":null,
                       "random_end_time":null,"timezone":null,"timezone_from":null}\
                      """,
                      """
                      {"action":"create","type":"random","fixed_time":null,"random_start_time":"8:00",
                       "random_end_time":"9:00","timezone":"Asia/Tokyo","timezone_from":"2026-12-01"}\
                      """),
                  List.of(
                      "{}",
                      "{\"action\":\"change\"}",
                      "{\"action\":\"create\",\"fixed_time\":\"8am\"}",
                      "{\"action\":\"list\",\"timezone\":\"Asia/Tokyo\"}",
                      "{\"action\":\"create\",\"timezone\":\"Asia/Tokyo\",\"timezone_from\":\"2020-01-01\"}",
                      "{\"action\":\"delete\",\"schedule_id\":\"sch_1\"}"))),
          Map.entry(
              "generate_habit_prompt",
              new Fixture(
                  List.of(
                      "{\"delivery_mode\":\"immediate\",\"personalization_notes\":null}",
                      "{\"delivery_mode\":\"scheduled\",\"personalization_notes\":\"likes tea\"}"),
                  List.of(
                      "{}",
                      "{\"delivery_mode\":\"later\",\"personalization_notes\":null}",
                      "{\"delivery_mode\":\"immediate\",\"personalization_notes\":7}"))),
          Map.entry(
              "add_task",
              new Fixture(
                  List.of(own(",\"title\":\"Water the plants\""), own(",\"title\":\"Buy milk\"")),
                  List.of(
                      "{}",
                      own(""),
                      own(",\"title\":\" \""),
                      own(",\"title\":7"),
                      own(",\"title\":\"" + "x".repeat(501) + "\""),
                      "{\"user_id\":\"conv_another\",\"title\":\"Water the plants\"}"))),
          Map.entry(
              "list_tasks",
              new Fixture(
                  List.of(),
                  List.of(
                      own(",\"status\":null"),
                      own(",\"status\":\"all\""),
                      own(",\"status\":\"pending\""),
                      own(",\"status\":\"completed\"")),
                  List.of("{}", own(",\"status\":\"open\""), "{\"user_id\":\"conv_another\"}"))),
          Map.entry("complete_task", new Fixture(List.of(own(",\"task_id\":2")), refusedIds(""))),
          Map.entry(
              "update_task",
              new Fixture(
                  List.of(
                      own(",\"task_id\":2,\"title\":\"Call the doctor\""),
                      own(",\"task_id\":2,\"title\":\"" + "x".repeat(500) + "\"")),
                  Stream.concat(
                          refusedIds(",\"title\":\"Call the doctor\"").stream(),
                          Stream.of(own(",\"task_id\":2"), own(",\"task_id\":2,\"title\":\"\"")))
                      .toList())),
          Map.entry(
              "delete_task",
              new Fixture(List.of(own(",\"task_id\":1"), own(",\"task_id\":2.0")), refusedIds(""))),
          Map.entry(
              "rag_search",
              new Fixture(
                  List.of(),
                  List.of("{\"query\":\"parental leave\"}", "{\"query\":\"zebra\"}"),
                  List.of(
                      "{}",
                      "{\"query\":\" \"}",
                      "{\"query\":7}",
                      "{\"query\":\"" + "x".repeat(501) + "\"}"))),
          Map.entry(
              "write_data",
              new Fixture(
                  List.of(
                      "{\"field_name\":\"intensity\",\"value\":\"LOW\"}",
                      "{\"field_name\":\"habit_domain\",\"value\":\"movement\"}"),
                  List.of("{\"field_name\":\"preferred_time\",\"value\":\"8:15\"}"),
                  List.of(
                      "{}",
                      "{\"field_name\":\"intensity\"}",
                      "{\"field_name\":\"intensity\",\"value\":null}",
                      "{\"field_name\":\"intensity\",\"value\":\" \"}",
                      "{\"field_name\":\"intensity\",\"value\":\"huge\"}",
                      "{\"field_name\":\"intensity\",\"value\":{}}",
                      "{\"field_name\":\"habit_domain\",\"value\":7}",
                      "{\"field_name\":\"nowhere\",\"value\":\"low\"}"))),
          Map.entry(
              "read_data",
              new Fixture(
                  List.of(),
                  List.of(
                      "{\"field_names\":null}",
                      "{\"field_names\":[]}",
                      "{\"field_names\":[\"intensity\"]}"),
                  List.of("{\"field_names\":[\"nowhere\"]}", "{\"field_names\":\"intensity\"}"))),
          Map.entry(
              "flag_for_staff",
              new Fixture(
                  List.of(
                      "{\"kind\":\"adverse_event\",\"urgency\":\"today\"}",
                      "{\"kind\":\"danger\",\"urgency\":\"now\"}"),
                  List.of(
                      "{}",
                      "{\"kind\":\"adverse_event\"}",
                      "{\"kind\":\"weather\",\"urgency\":\"now\"}",
                      "{\"kind\":\"other\",\"urgency\":\"tomorrow\"}",
                      "{\"kind\":\"danger\",\"urgency\":\"today\"}"))),
          Map.entry(
              "record_outcome",
              new Fixture(
                  List.of(
                      "{\"occurrence\":null,\"outcome\":\"done\",\"note\":null}",
                      "{\"occurrence\":\"2026-11-19\",\"outcome\":\"partly\",\"note\":\"half\"}",
                      "{\"occurrence\":\"2026-11-21#1\",\"outcome\":\"not_done\",\"note\":null}"),
                  List.of(
                      "{}",
                      "{\"outcome\":\"maybe\"}",
                      "{\"outcome\":7}",
                      "{\"outcome\":\"done\",\"occurrence\":\"2026-11-18\"}",
                      "{\"outcome\":\"done\",\"occurrence\":\"yesterday\"}",
                      "{\"outcome\":\"done\",\"occurrence\":\"2026-11-20\"}",
                      "{\"outcome\":\"done\",\"occurrence\":\"2026-11-22\"}",
                      "{\"outcome\":\"done\",\"note\":\"" + "x".repeat(301) + "\"}"))),
          Map.entry(
              "set_language",
              new Fixture(
                  List.of("{\"language\":\"es\"}"),
                  List.of(
                      "{}",
                      "{\"language\":null}",
                      "{\"language\":\"fr\"}",
                      "{\"language\":[\"es\"]}"))),
          Map.entry(
              "opt_out",
              new Fixture(
                  List.of("{\"confirmation_text\":\"You get no more messages from this line.\"}"),
                  List.of(
                      "{}",
                      "{\"confirmation_text\":null}",
                      "{\"confirmation_text\":\" \"}",
                      "{\"confirmation_text\":\"" + "x".repeat(301) + "\"}"))),
          Map.entry(
              "export_data",
              new Fixture(
                  List.of(
                      "{\"confirmation_message\":null}",
                      "{\"confirmation_message\":\"Yes, finalize it\"}"),
                  List.of(
                      "{\"confirmation_message\":7}",
                      "{\"confirmation_message\":\"" + "x".repeat(1001) + "\"}"))));

  private static List<String> refusedIds(String others) {
    return List.of(
        "{}",
        own(others),
        own(",\"task_id\":null" + others),
        own(",\"task_id\":3" + others),
        own(",\"task_id\":\"2\"" + others),
        own(",\"task_id\":1.5" + others),
        own(",\"task_id\":1e30" + others),
        "{\"task_id\":2" + others + "}",
        "{\"user_id\":\"conv_another\",\"task_id\":2" + others + "}");
  }

  private static Fixture fixture(Tool tool) {
    return Objects.requireNonNull(FIXTURES.get(tool.name()), tool.name());
  }

  static List<Tool> tools() {
    return Habit.TOOLS.stream().map(name -> Habit.catalog().tool(name).orElseThrow()).toList();
  }

  @Test
  void everyToolOfTheProgramHasAFixture() {
    var classes =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                // RoomsTest sees to it that every tool is here.
                .importPackages("org.habitline.tools")
                .stream()
                .filter(type -> type.isAssignableTo(Tool.class) && !type.isInterface())
                .filter(type -> !type.getSimpleName().startsWith("$"))
                .map(JavaClass::getName)
                .collect(Collectors.toSet());
    assertThat(classes)
        .isEqualTo(tools().stream().map(t -> t.getClass().getName()).collect(Collectors.toSet()));
    assertThat(FIXTURES.keySet()).isEqualTo(Habit.catalog().names());
  }

  @ParameterizedTest
  @MethodSource("tools")
  void theSchemaIsStrict(Tool tool) {
    var spec = tool.spec(Habit.flow(), Habit.module());
    assertThat(spec.name()).isEqualTo(tool.name()).matches("[a-z_]{1,64}");
    assertThat(spec.description()).isNotBlank();
    var faults = new ArrayList<String>();
    check(spec.schema(), tool.name(), faults);
    assertThat(faults).isEmpty();
  }

  private static void check(JsonNode schema, String where, List<String> faults) {
    schema
        .fieldNames()
        .forEachRemaining(keyword -> {
          if (!STRICT_KEYWORDS.contains(keyword)) {
            faults.add(where + " uses " + keyword);
          }
        });
    var types = schema.path("type");
    if (types.isMissingNode()) {
      faults.add(where + " has no type");
    }
    if (schema.has("enum")) {
      var nullable = types.isArray();
      var allowsNull = false;
      for (var value : schema.path("enum")) {
        allowsNull |= value.isNull();
      }
      if (nullable != allowsNull) {
        faults.add(where + " disagrees about null");
      }
    }
    if (types.asText().equals("object")) {
      if (schema.path("additionalProperties").asBoolean(true)) {
        faults.add(where + " allows other properties");
      }
      var required = new ArrayList<String>();
      schema.path("required").forEach(name -> required.add(name.asText()));
      for (var property : schema.path("properties").properties()) {
        if (!required.remove(property.getKey())) {
          faults.add(where + "." + property.getKey() + " is not required");
        }
        if (property.getValue().path("description").asText().isBlank()) {
          faults.add(where + "." + property.getKey() + " is not described");
        }
        check(property.getValue(), where + "." + property.getKey(), faults);
      }
      required.forEach(name -> faults.add(where + " requires " + name + ", which it has not"));
    }
    if (schema.has("items")) {
      check(schema.path("items"), where + "[]", faults);
    }
  }

  @ParameterizedTest
  @MethodSource("tools")
  void whatWorksIsValidUnderTheSchemaAndAsksForAnEffect(Tool tool) {
    var schema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(tool.spec(Habit.flow(), Habit.module()).schema());
    for (var arguments : fixture(tool).works()) {
      assertThat(schema.validate(Habit.json(arguments))).isEmpty();
      var outcome = call(tool, arguments);
      assertThat(outcome.result().path("status").asText()).as(arguments).isEqualTo("success");
      assertThat(outcome.effects()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("tools")
  void whatLooksUpIsValidUnderTheSchemaAndAsksForNothing(Tool tool) {
    var schema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(tool.spec(Habit.flow(), Habit.module()).schema());
    for (var arguments : fixture(tool).looksUp()) {
      assertThat(schema.validate(Habit.json(arguments))).isEmpty();
      var outcome = call(tool, arguments);
      assertThat(outcome.result().path("status").asText()).as(arguments).isEqualTo("success");
      assertThat(outcome.effects()).isEmpty();
    }
  }

  @Test
  void everyToolHasAFixtureThatWorks() {
    FIXTURES.forEach((name, fixture) ->
        assertThat(fixture.works().size() + fixture.looksUp().size()).as(name).isPositive());
  }

  @ParameterizedTest
  @MethodSource("tools")
  void whatIsRefusedSaysWhyAndAsksForNothing(Tool tool) {
    for (var arguments : fixture(tool).refused()) {
      var outcome = call(tool, arguments);
      assertThat(outcome.failed()).as(arguments).isTrue();
      assertThat(outcome.result().path("field").asText()).isNotBlank();
      assertThat(outcome.result().path("message").asText()).isNotBlank();
      assertThat(outcome.effects()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("tools")
  void whatRunsOutsideTurnsChangesNothingButRecords(Tool tool) {
    if (tool.runsOutsideTurns()) {
      for (var arguments : fixture(tool).works()) {
        assertThat(call(tool, arguments).effects())
            .allSatisfy(effect -> assertThat(effect).isInstanceOf(Effect.RecordChange.class));
      }
    }
  }

  private static ToolOutcome call(Tool tool, String arguments) {
    var run =
        Habit.run(
            Habit.flow(),
            Habit.copy(Habit.complete()),
            Habit.NOW,
            Habit.saying("After coffee, stretch for one minute."));
    return Habit.catalog()
        .call(run, Habit.module("INTAKE", Habit.TOOLS), Habit.call(tool.name(), arguments));
  }
}
