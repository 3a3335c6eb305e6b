package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.habitline.Seeds;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.timers.Recurrence;
import org.habitline.timers.Schedule;
import org.junit.jupiter.api.Test;

class ToolArgumentsProperties {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<String> WORDS =
      List.of(
          "INTAKE",
          "FEEDBACK",
          "immediate",
          "scheduled",
          "low",
          "HIGH",
          "explicit",
          "implicit",
          "concise",
          "detailed",
          "no_emojis",
          "prompt_anchor",
          "last_blocker",
          "tone_tags",
          "before a meeting",
          "create",
          "list",
          "delete",
          "fixed",
          "random",
          "8:15",
          "20:00",
          "21:01",
          "25:00",
          "8am",
          "Asia/Tokyo",
          "Mars/Olympus",
          "sch_1",
          "",
          "  ",
          "\u0000",
          "\ud83d",
          "😀",
          "x".repeat(700),
          "null",
          "{}");

  private static ToolRun run(Random random) {
    var profile = random.nextBoolean() ? Habit.complete() : Habit.profile(Map.of());
    return Habit.run(
        Habit.flow(),
        new WorkingCopy(
            "INTAKE",
            random.nextInt(5) == 0 ? "FEEDBACK" : null,
            profile,
            null,
            null,
            agenda(random),
            random.nextBoolean() ? Habit.tasks("Buy milk", "Call the dentist") : Records.NONE),
        Habit.NOW,
        Habit.saying(pick(WORDS, random)));
  }

  private static Agenda agenda(Random random) {
    var zone = Habit.participant().zone();
    var agenda = Agenda.empty(zone);
    for (var slot = random.nextInt(3); slot > 0; slot--) {
      var schedule =
          new Schedule("sch_" + slot, slot, new DailyTime.Fixed(LocalTime.of(8, 15)), Habit.NOW);
      var next = Recurrence.next(schedule, zone, Habit.NOW, agenda.taken(slot), Duration.ZERO);
      agenda = agenda.with(new Agenda.Planned(schedule, next));
    }
    return agenda;
  }

  private static <T> T pick(List<T> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }

  /** Mostly what the schema asks for, so that many calls get past the first check. */
  private static ObjectNode arguments(Tool tool, Random random) {
    var properties =
        List.copyOf(
            tool.spec(Habit.flow(), Habit.module()).schema().path("properties").properties());
    var arguments = JSON.objectNode();
    for (var n = random.nextInt(6); n > 0; n--) {
      var property = pick(properties, random);
      arguments.set(
          property.getKey(),
          random.nextInt(12) == 0 ? value(random, 0) : expected(property.getValue(), random));
    }
    if (tool.spec(Habit.flow(), Habit.module()).schema().path("properties").has("user_id")
        && random.nextInt(12) > 0) {
      arguments.put("user_id", Habit.participant().id());
    }
    if (random.nextInt(20) == 0) {
      arguments.set(pick(WORDS, random), value(random, 0));
    }
    return arguments;
  }

  private static JsonNode expected(JsonNode schema, Random random) {
    if (schema.has("enum")) {
      return schema.path("enum").path(random.nextInt(schema.path("enum").size()));
    }
    if (schema.has("items")) {
      var array = JSON.arrayNode();
      for (var n = random.nextInt(4); n > 0; n--) {
        array.add(expected(schema.path("items"), random));
      }
      return array;
    }
    if (schema.path("type").asText().equals("integer")) {
      return JSON.numberNode(random.nextInt(5));
    }
    return schema.path("type").path(0).asText().equals("number")
        ? JSON.numberNode(random.nextDouble())
        : word(random);
  }

  private static JsonNode value(Random random, int depth) {
    return switch (random.nextInt(depth > 2 ? 6 : 9)) {
      case 0, 1, 2 -> JSON.textNode(pick(WORDS, random));
      case 3 -> JSON.nullNode();
      case 4 -> JSON.numberNode(random.nextGaussian() * 2);
      case 5 -> JSON.booleanNode(random.nextBoolean());
      case 6, 7 -> {
        var array = JSON.arrayNode();
        for (var n = random.nextInt(4); n > 0; n--) {
          array.add(random.nextInt(6) == 0 ? value(random, depth + 1) : word(random));
        }
        yield array;
      }
      default -> JSON.objectNode().set("x", value(random, depth + 1));
    };
  }

  private static String anyText(Random random) {
    var text = new StringBuilder();
    random.ints(random.nextInt(1, 30), 0, 0x1FFFF).forEach(text::appendCodePoint);
    return text.toString();
  }

  private static JsonNode word(Random random) {
    return JSON.textNode(pick(WORDS, random));
  }

  @Test
  void noArgumentsMakeAToolThrowAndNoErrorHasAnEffect() {
    Seeds.each(
        400,
        seed -> {
          var random = new Random(seed);
          for (var tool : EveryToolTest.tools()) {
            var arguments = arguments(tool, random);
            var outcome = tool.call(run(random), arguments);
            var status = outcome.result().path("status").asText();
            assertThat(status).isIn("success", "noop", "error");
            var looksUp =
                arguments.path("action").asText().equalsIgnoreCase("list")
                    || tool instanceof ListTasks
                    || tool instanceof RagSearch
                    || tool instanceof ReadData;
            // Writing what is there already succeeds and changes nothing.
            var mayBeThere = tool instanceof WriteData && outcome.effects().isEmpty();
            assertThat(outcome.effects().isEmpty())
                .isEqualTo(looksUp || mayBeThere || !status.equals("success"));
            assertThat(outcome.result().toString())
                .hasSizeLessThan(3_000)
                .doesNotContain("\\u0000");
          }
        });
  }

  @Test
  void noTextAtAllMakesACallThrow() {
    Seeds.each(
        200,
        seed -> {
          var random = new Random(seed);
          var text = anyText(random);
          var cut = arguments(pick(EveryToolTest.tools(), random), random).toString();
          for (var arguments : List.of(text, cut.substring(0, random.nextInt(cut.length())))) {
            for (var tool : Habit.TOOLS) {
              var outcome =
                  Habit.catalog()
                      .call(
                          run(random), Habit.module("X", Habit.TOOLS), Habit.call(tool, arguments));
              assertThat(outcome.effects().isEmpty()).isEqualTo(outcome.failed());
            }
          }
        });
  }

  @Test
  void savingTheSameTwiceChangesNothingTheSecondTime() {
    Seeds.each(
        400,
        seed -> {
          var random = new Random(seed);
          var tool = new SaveUserProfile();
          var arguments = arguments(tool, random);
          var run = run(random);
          var first = tool.call(run, arguments);
          var second = tool.call(Habit.after(run, first), arguments);
          assertThat(second.result().path("status").asText())
              .isEqualTo(first.failed() ? "error" : "noop");
        });
  }

  @Test
  void schedulingTheSameTwiceChangesNothingTheSecondTime() {
    Seeds.each(
        400,
        seed -> {
          var random = new Random(seed);
          var tool = new Scheduler(Habit.TIMES);
          var arguments = arguments(tool, random).put("action", "create").putNull("schedule_id");
          var run = run(random);
          var first = tool.call(run, arguments);
          assertThat(tool.call(run, arguments)).as("a turn that is resumed").isEqualTo(first);
          var second = tool.call(Habit.after(run, first), arguments);
          assertThat(second.result().path("status").asText())
              .isEqualTo(first.failed() ? "error" : "noop");
        });
  }
}
