package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

class TaskToolsTest {

  private ToolRun run = with(Habit.tasks("Buy milk", "Call the dentist"));

  private static ToolRun with(Records records) {
    var copy = Habit.copy(Habit.complete());
    return Habit.run(
        Habit.flow(),
        new WorkingCopy(copy.state(), null, copy.profile(), null, null, copy.agenda(), records),
        Habit.NOW,
        Habit.saying("unasked"));
  }

  /** Calls a tool in the participant's name; the next call sees what it asked for. */
  private ToolOutcome call(String tool, String others) {
    var arguments = "{\"user_id\":\"%s\"%s}".formatted(Habit.participant().id(), others);
    var outcome =
        Habit.catalog().call(run, Habit.module("INTAKE", Habit.TOOLS), Habit.call(tool, arguments));
    run = Habit.after(run, outcome);
    return outcome;
  }

  private ToolOutcome add(String title) {
    return call("add_task", ",\"title\":\"%s\"".formatted(title));
  }

  private ToolOutcome delete(long id) {
    return call("delete_task", ",\"task_id\":%d".formatted(id));
  }

  private JsonNode list(String status) {
    return call("list_tasks", ",\"status\":%s".formatted(status)).result();
  }

  private static String task(int id, String title, boolean completed) {
    return "{\"id\":%d,\"title\":\"%s\",\"completed\":%s}".formatted(id, title, completed);
  }

  @Test
  void aListHoldsTheTasksOfTheStatusOldestFirst() {
    add("Water the plants");
    var milk = task(1, "Buy milk", true);
    var dentist = task(2, "Call the dentist", false);
    var plants = task(3, "Water the plants", false);
    assertThat(list("\"all\"").path("tasks"))
        .hasToString("[" + String.join(",", milk, dentist, plants) + "]");
    assertThat(list("null")).isEqualTo(list("\"all\""));
    assertThat(list("\"completed\"").path("tasks")).hasToString("[" + milk + "]");
    var pending = list("\"PENDING\"");
    assertThat(pending.path("tasks")).hasToString("[" + dentist + "," + plants + "]");
    assertThat(pending.path("count").intValue()).isEqualTo(2);
  }

  @Test
  void anEmptyListIsToldAsOne() {
    run = with(Records.NONE);
    assertThat(list("null")).hasToString("{\"status\":\"success\",\"count\":0,\"tasks\":[]}");
  }

  @Test
  void everyResultHasTheTaskAndTheNumberOfTasksAfterwards() {
    assertThat(add(" Water\\n the   plants ").result())
        .hasToString(
            "{\"status\":\"success\",\"count\":3,\"task\":%s}"
                .formatted(task(3, "Water the plants", false)));
    assertThat(call("update_task", ",\"task_id\":3,\"title\":\"Feed the cat\"").result())
        .hasToString(
            "{\"status\":\"success\",\"count\":3,\"task\":%s}"
                .formatted(task(3, "Feed the cat", false)));
    assertThat(call("complete_task", ",\"task_id\":3").result())
        .hasToString(
            "{\"status\":\"success\",\"count\":3,\"task\":%s}"
                .formatted(task(3, "Feed the cat", true)));
    assertThat(delete(3).result())
        .hasToString(
            "{\"status\":\"success\",\"count\":2,\"task\":%s}"
                .formatted(task(3, "Feed the cat", true)));
  }

  @Test
  void whatIsSoAlreadyIsANoop() {
    for (var outcome :
        List.of(
            call("complete_task", ",\"task_id\":1"),
            call("update_task", ",\"task_id\":1,\"title\":\"Buy  milk\""))) {
      assertThat(outcome.result().path("status").asText()).isEqualTo("noop");
      assertThat(outcome.effects()).isEmpty();
      assertThat(outcome.result().path("task")).hasToString(task(1, "Buy milk", true));
    }
  }

  @Test
  void noIdIsUsedAgainAfterADeletion() {
    delete(2);
    assertThat(add("Water the plants").result().path("task").path("id").intValue()).isEqualTo(3);
    delete(3);
    delete(1);
    assertThat(add("Feed the cat").result().path("task").path("id").intValue()).isEqualTo(4);
  }

  @Test
  void idsAreInTheOrderOfTheirValue() {
    IntStream.rangeClosed(3, 11).forEach(n -> add("Task " + n));
    assertThat(list("null").path("tasks"))
        .extracting(task -> task.path("id").intValue())
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 11).boxed().toList());
  }

  @Test
  void theTwoHundredthTaskIsTheLast() {
    IntStream.rangeClosed(3, 200).forEach(n -> add("Task " + n));
    var outcome = add("One more");
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.result().path("message").asText()).contains("200", "delete");
    delete(7);
    assertThat(add("One more").result().path("count").intValue()).isEqualTo(200);
  }

  @Test
  void anUnknownIdIsRefusedWithTheFirstFiftyValidOnes() {
    assertThat(delete(3).result().path("valid_values")).hasToString("[\"1\",\"2\"]");
    IntStream.rangeClosed(3, 60).forEach(n -> add("Task " + n));
    var refused = delete(61).result();
    assertThat(refused.path("field").asText()).isEqualTo("task_id");
    assertThat(refused.path("message").asText()).contains("first 50 of 60");
    assertThat(refused.path("valid_values")).hasSize(50);
    run = with(Records.NONE);
    assertThat(delete(1).result().path("message").asText()).contains("There are no tasks.");
  }

  @Test
  void nobodyElsesIdIsAccepted() {
    for (var tool : Habit.TOOLS.subList(Habit.TOOLS.indexOf("add_task"), Habit.TOOLS.size())) {
      var arguments =
          Map.of(
              "add_task", ",\"title\":\"x\"",
              "update_task", ",\"task_id\":2,\"title\":\"x\"",
              "list_tasks", "");
      for (var user : List.of("\"conv_another\"", "null", "\"\"", "7")) {
        var outcome =
            Habit.catalog()
                .call(
                    run,
                    Habit.module("INTAKE", Habit.TOOLS),
                    Habit.call(
                        tool,
                        "{\"user_id\":%s%s}"
                            .formatted(user, arguments.getOrDefault(tool, ",\"task_id\":2"))));
        assertThat(outcome.failed()).as(tool + " for " + user).isTrue();
        assertThat(outcome.effects()).isEmpty();
        assertThat(outcome.result().path("field").asText()).isEqualTo("user_id");
      }
    }
  }

  @Test
  void aDamagedTaskStopsOnlyTheToolsThatUseIt() {
    run = with(Habit.tasks().with(new Effect.PutRecord(new Records.Key("task", "1"), "{secret")));
    assertThat(list("null").path("message").asText()).contains("failed; nothing was changed");
    assertThat(list("null").toString()).doesNotContain("secret");
    assertThat(call("transition_state", "").result().path("field").asText()).isEqualTo("user_id");
  }

  @Test
  void aRecordHasBounds() {
    assertThatThrownBy(() -> new Records.Key("", "1")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Records.Key("task", "x".repeat(65)))
        .hasMessageContaining("id")
        .hasMessageContaining("65");
    var key = new Records.Key("task", "x".repeat(64));
    assertThatThrownBy(() -> new Effect.PutRecord(key, "x".repeat(1_000_001)))
        .hasMessageContaining("1000001");
  }

  @Test
  void numbersComeBeforeOtherIdsAndKindsStayApart() {
    var records = Records.NONE;
    for (var id : List.of("b", "10", "a", "9", "007")) {
      records = records.with(new Effect.PutRecord(new Records.Key("note", id), "{}"));
    }
    records = records.with(new Effect.PutRecord(new Records.Key("other", "1"), "[1]"));
    assertThat(records.list("note"))
        .extracting(Records.Entry::id)
        .containsExactly("9", "10", "007", "a", "b");
    assertThat(records.get(new Records.Key("other", "1")).orElseThrow()).hasToString("[1]");
    assertThat(records.get(new Records.Key("note", "1"))).isEmpty();
    assertThat(records.with(new Effect.DeleteRecord(new Records.Key("other", "1"))).list("other"))
        .isEmpty();
    assertThat(records.list("other")).hasSize(1);
  }

  /** A plain map does what the tools should. */
  @Test
  void anyCallsLeadToTheTasksOfAPlainMap() {
    Seeds.each(
        100,
        seed -> {
          var random = new Random(seed);
          run = with(Records.NONE);
          var expected = new TreeMap<Integer, String>();
          var ever = new HashSet<Integer>();
          for (var n = 0; n < 40; n++) {
            var id = random.nextInt(1, ever.size() + 3);
            var title = "Task " + random.nextInt(5);
            switch (random.nextInt(4)) {
              case 0, 1 -> {
                var added = add(title).result().path("task").path("id").intValue();
                assertThat(ever.add(added)).as("a new id").isTrue();
                expected.put(added, task(added, title, false));
              }
              case 2 -> {
                assertThat(delete(id).failed()).isEqualTo(!expected.containsKey(id));
                expected.remove(id);
              }
              default -> {
                var outcome = call("complete_task", ",\"task_id\":%d".formatted(id));
                assertThat(outcome.failed()).isEqualTo(!expected.containsKey(id));
                expected.computeIfPresent(
                    id, (same, task) -> task.replace("\"completed\":false", "\"completed\":true"));
              }
            }
          }
          var listed = list("null");
          assertThat(listed.path("count").intValue()).isEqualTo(expected.size());
          assertThat(new ArrayList<>(expected.values()))
              .hasToString(listed.path("tasks").toString().replace("},{", "}, {"));
        });
  }
}
