package org.habitline.staff.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.habitline.RestLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.junit.jupiter.api.Test;

/**
 * The packaged flows fitness (seed 000), tasks (seed 001) and onboarding (seed 002) from the first
 * text to the last: over the web chat and a simulated phone in turns, played by the rehearsal's
 * script and by a model server.
 */
final class PackagedFlowsTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern MODULE = Pattern.compile("(?m)^Module: (\\w+)$");
  private static final Pattern PARTICIPANT = Pattern.compile("(?m)^Participant: (\\S+) ");

  /** What the fitness flow asks for, by the beginning of the question. */
  private static final Map<String, String> ANSWERS =
      Map.ofEntries(
          Map.entry("How fit you feel", "I'm a beginner"),
          Map.entry("What you have to be careful with", "lower back pain"),
          Map.entry("What you most want", "fat loss"),
          Map.entry("Where you want to train", "at home"),
          Map.entry("How many workouts", "3"),
          Map.entry("How long one workout", "30 minutes"),
          Map.entry("The workouts you agreed to", "squats and push-ups, three sets"),
          Map.entry("Whether there is an eating plan", "a plan please"),
          Map.entry("How you like to eat", "vegetarian"),
          Map.entry("What you cannot or do not eat", "nuts"),
          Map.entry("How many meals", "3 meals"),
          Map.entry("The eating plan you agreed to", "porridge, and plenty of vegetables"),
          Map.entry("The weekdays", "Monday, Thursday"),
          Map.entry("When on these days you train", "18:30"),
          Map.entry("The day of your first workout", "2026-11-23"));

  private static final List<String> FITNESS =
      List.of(
          "FITNESS_ASSESSMENT", "GOAL_SETTING", "WORKOUT_PLANNING", "DIET_PLANNING", "SCHEDULING");

  /** A participant who texts over the phone and the web chat in turns. */
  private record Talk(RestLine line, String id, PhoneNumber phone, ChatClient chat)
      implements AutoCloseable {

    /** Enrols somebody and waits for the greeting. */
    static Talk in(RestLine line, String flow) {
      var said = RestLine.someone();
      said.put("flow", flow);
      said.put("channel", "simulator");
      var id = line.enrol(said).result().path("id").asText();
      await().until(() -> turns(line, id) == 1 && rested(line, id));
      var person = line.get(RestLine.PARTICIPANTS + "/" + id).result();
      var token = line.send("POST", RestLine.PARTICIPANTS + "/" + id + "/tokens", "").result();
      return new Talk(
          line,
          id,
          new PhoneNumber(person.path("phone_number").asText()),
          ChatClient.open(line.url(), token.path("token").asText()));
    }

    String reply(String text) {
      var turn = turns(line, id);
      var overThePhone = turn % 2 == 0;
      chat.forget();
      if (overThePhone) {
        line.bean(Inbox.class)
            .accept(new IncomingText("SM" + id + turn, phone, ChannelKind.SIMULATOR, text));
      } else {
        chat.say(id, text);
      }
      chat.awaitType("complete", 1);
      assertThat(chat.types()).doesNotContain("error");
      assertThat(chat.types().stream().filter("tool_start"::equals).count())
          .as("every call is told, and its result")
          .isEqualTo(chat.types().stream().filter("tool_complete"::equals).count());
      await().until(() -> turns(line, id) > turn && rested(line, id));
      return overThePhone
          ? String.valueOf(
              line.rows(
                      "SELECT body FROM simulated_phone_text WHERE participant_id = ? ORDER BY seq"
                          + " DESC LIMIT 1",
                      id)
                  .getFirst()
                  .get("body"))
          : chat.text();
    }

    @Override
    public void close() {
      chat.close();
    }

    /** The tools that the newest turn called, in order. */
    List<String> tools() {
      return line
          .rows(
              "SELECT tool_calls FROM iteration WHERE participant_id = ? AND turn = (SELECT MAX(number) FROM"
                  + " turn WHERE participant_id = ?) ORDER BY number",
              id,
              id)
          .stream()
          .flatMap(
              row -> read(String.valueOf(row.get("tool_calls"))).findValuesAsText("name").stream())
          .toList();
    }

    int tasks() {
      return line.rows(
              "SELECT record_id FROM record WHERE participant_id = ? AND kind = 'task'", id)
          .size();
    }

    String datum(String key) {
      return String.valueOf(
          line.rows(
                  "SELECT data_value FROM state_data WHERE participant_id = ? AND data_key = ?",
                  id,
                  key)
              .getFirst()
              .get("data_value"));
    }
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  private static int turns(RestLine line, String id) {
    return line.rows("SELECT number FROM turn WHERE participant_id = ? AND status = 'done'", id)
        .size();
  }

  private static String newest(RestLine line, String id) {
    return String.valueOf(
        line.rows(
                "SELECT content FROM message WHERE participant_id = ? ORDER BY seq DESC LIMIT 1",
                id)
            .getFirst()
            .get("content"));
  }

  private static boolean rested(RestLine line, String id) {
    return line.rows("SELECT 1 FROM outbox WHERE participant_id = ? AND open = TRUE", id).isEmpty();
  }

  @Test
  void withoutAnyKeyEachFlowPlaysOverTheChatAndThePhone() {
    try (var line = RestLine.start(PackagedFlowsTest.class);
        var fitness = Talk.in(line, "fitness");
        var low = Talk.in(line, "fitness");
        var tasks = Talk.in(line, "tasks");
        var onboarding = Talk.in(line, "onboarding")) {
      onboarding(onboarding);
      fitness(fitness);
      flagged(fitness);
      tooLow(low);
      tasks(tasks);
    }
  }

  private static void onboarding(Talk ada) {
    assertThat(ada.reply("Ada Example")).endsWith("Please tell me: employee id.");
    assertThat(ada.reply("EMP-123")).endsWith("Please tell me: starter kit.");
    assertThat(ada.tools()).containsExactly("write_data");
    assertThat(ada.reply("a laptop")).startsWith("I could not note that.");
    assertThat(ada.reply("Keyboard"))
        .endsWith(
            "This is what I have: employee name Ada Example, employee id EMP-123, starter kit"
                + " keyboard. Shall I finish?");
    assertThat(ada.tools()).containsExactly("write_data", "read_data");
    assertThat(ada.reply("yes")).endsWith("Onboarding data exported successfully");
    assertThat(ada.tools()).containsExactly("export_data");

    var export =
        ada.line()
            .get(RestLine.PARTICIPANTS + "/" + ada.id() + "/records")
            .result()
            .path(0)
            .path("content");
    assertThat(export.path("employee_name").textValue()).isEqualTo("Ada Example");
    assertThat(export.path("employee_id").textValue()).isEqualTo("EMP-123");
    assertThat(export.path("starter_kit").textValue()).isEqualTo("keyboard");
    assertThat(export.path("dietary_restrictions").isNull()).isTrue();
    assertThat(export.path("conversation_summary").textValue())
        .startsWith(
            "- Saved: employee id EMP-123, employee name Ada Example, starter kit keyboard.");
    assertThat(page(ada.line(), "/participants/" + ada.id()))
        .contains(">Exports<", "EMP-123")
        .doesNotContain("Daily prompts");
  }

  private static void fitness(Talk ada) {
    var said = newest(ada.line(), ada.id());
    var answered = new LinkedHashMap<String, String>();
    for (var texts = 0; texts < 30 && !said.endsWith("That is all I need. Thank you!"); texts++) {
      var question = said;
      var answer =
          ANSWERS.entrySet().stream()
              .filter(it -> question.contains("Please tell me: " + it.getKey()))
              .findFirst();
      answer.ifPresent(
          it -> assertThat(answered.put(it.getKey(), it.getValue())).as("asked once").isNull());
      said = ada.reply(answer.map(Map.Entry::getValue).orElse("ok"));
    }
    assertThat(answered.keySet()).containsExactlyInAnyOrderElementsOf(ANSWERS.keySet());

    var profile = read(ada.datum("userProfile"));
    assertThat(profile.path("fitness_level").asText()).isEqualTo("beginner");
    assertThat(profile.path("limitations").toString()).isEqualTo("[\"lower back pain\"]");
    assertThat(profile.path("primary_goal").asText()).isEqualTo("fat_loss");
    assertThat(profile.path("session_minutes").intValue()).isEqualTo(30);
    assertThat(profile.path("workout_days").toString()).isEqualTo("[\"Monday\",\"Thursday\"]");
    assertThat(profile.path("completed_at").properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrderElementsOf(FITNESS);
    assertThat(ada.datum("conversationState")).isEqualTo("SCHEDULING");
  }

  private static void flagged(Talk ada) {
    assertThat(page(ada.line(), "/")).doesNotContain("Flagged: diet concern");
    assertThat(ada.reply("my diet concern is yes")).startsWith("Thanks for telling me.");

    assertThat(page(ada.line(), "/")).contains("Flagged: diet concern", ada.id());
    assertThat(page(ada.line(), "/participants/" + ada.id()))
        .contains("<strong>Flagged for staff:</strong> diet concern")
        .doesNotContain("Daily prompts", "for a daily prompt", ">Records<");
    assertThat(ada.line().get("/audit?action=participant%20flagged").response().body())
        .contains("diet_concern");
    assertThat(read(ada.datum("userProfile")).path("diet_concern").booleanValue()).isTrue();
    assertThat(read(ada.datum("userProfile")).has("diet_plan")).isFalse();
    assertThat(ada.reply("my diet concern is no"))
        .startsWith("I could not note that. This stays true");
  }

  /** The script says neither that it saved what it did not, nor why. */
  private static void tooLow(Talk ada) {
    ada.reply("advanced");
    ada.reply("none");
    ada.reply("ok");
    assertThat(ada.reply("my height is 178")).startsWith("Noted. Please tell me: What you most");
    assertThat(ada.reply("my target weight is 45"))
        .startsWith("Thanks for telling me. Please tell me: What you most");
    ada.reply("strength");
    ada.reply("ok");
    ada.reply("gym");
    ada.reply("4");
    ada.reply("60");
    ada.reply("squats and rows");
    assertThat(ada.reply("ok")).endsWith("One of: plan, no plan.");
    assertThat(ada.reply("a plan please"))
        .startsWith("I could not note that. This works: no plan. Please tell me: Whether");
    assertThat(ada.reply("no plan")).startsWith("Noted.");
  }

  private static String page(RestLine line, String address) {
    var answer = line.get(address);
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  private static void tasks(Talk ada) {
    assertThat(ada.reply("hello, how are you?")).startsWith("Hello!").doesNotContain("tasks");
    assertThat(ada.tools()).isEmpty();

    for (var number = 1; number <= 12; number++) {
      assertThat(ada.reply("Please add water plant " + number + "."))
          .isEqualTo(
              "Added: %d water plant %d. You have %d on your list."
                  .formatted(number, number, number));
    }
    assertThat(ada.tasks()).isEqualTo(12);
    assertThat(ada.reply("I've done 2")).isEqualTo("Done: 2 water plant 2 (completed).");
    assertThat(ada.reply("show me my tasks"))
        .startsWith("You have 12 tasks: 1 water plant 1, 2 water plant 2 (completed), ")
        .endsWith("12 water plant 12");
    assertThat(ada.tools()).containsExactly("list_tasks");
    assertThat(ada.reply("What is left?")).startsWith("You have 11 open tasks: ");
    assertThat(page(ada.line(), "/participants/" + ada.id()))
        .contains(">Records<", "<li>id: 12, title: water plant 12, completed: false</li>")
        .doesNotContain("counter");
    assertThat(ada.reply("delete 40")).startsWith("That did not work: There is no task");
    assertThat(ada.tasks()).isEqualTo(12);

    assertThat(ada.reply("delete all my tasks"))
        .isEqualTo("I've deleted all 12 tasks. Verified: Your task list is now empty.");
    assertThat(ada.tools()).startsWith("list_tasks").endsWith("list_tasks").hasSize(14);
    assertThat(ada.tasks()).isZero();
    assertThat(ada.reply("show me my tasks")).isEqualTo("You have 0 tasks: none");

    assertThat(ada.reply("what is your name?")).startsWith("I'm your Todo AI Assistant");
    assertThat(ada.tools()).isEmpty();
    assertThat(ada.reply("purple")).startsWith("I'm your Todo AI Assistant. Text \"add buy milk\"");
  }

  @Test
  void aModelServerPlaysBothFlowsOverTheChatAndThePhone() {
    try (var fake = StrictFakeServer.start();
        var line =
            RestLine.start(PackagedFlowsTest.class, Map.of("openai.base-url", fake.baseUrl()))) {
      fake.otherwise(PackagedFlowsTest::assistant);
      try (var ada = Talk.in(line, "tasks")) {
        served(ada);
      }
      fake.otherwise(PackagedFlowsTest::coach);
      try (var ada = Talk.in(line, "fitness")) {
        coached(ada, fake);
      }
      assertThat(fake.violations()).isEmpty();
    }
  }

  private static void served(Talk ada) {
    assertThat(ada.reply("hello, how are you?")).isEqualTo("Hello! I'm doing well, thank you.");
    assertThat(ada.tools()).isEmpty();
    ada.reply("add 12");
    assertThat(ada.tasks()).isEqualTo(12);
    assertThat(ada.reply("show me my tasks")).isEqualTo("You have 12 tasks.");
    assertThat(ada.tools()).containsExactly("list_tasks");
    var before =
        ada.line()
            .rows(
                "SELECT id, content FROM message WHERE participant_id = ? ORDER BY seq", ada.id());

    assertThat(ada.reply("delete all my tasks"))
        .isEqualTo("I've deleted all 12 tasks. Verified: Your task list is now empty.");
    assertThat(ada.tools()).hasSize(14);
    assertThat(ada.tasks()).isZero();

    assertThat(ada.reply("what is your name?")).isEqualTo("I'm your Todo AI Assistant.");
    assertThat(ada.tools()).isEmpty();
    assertThat(
            ada.line()
                .rows(
                    "SELECT id, content FROM message WHERE participant_id = ? ORDER BY seq",
                    ada.id()))
        .as("a reply is a new message; none before it changes")
        .startsWith(before.toArray(Map[]::new))
        .hasSize(before.size() + 4)
        .doesNotHaveDuplicates();
  }

  /** A model that keeps to the rules of tasks.txt. */
  private static Scripted assistant(StrictFakeServer.Asked asked) {
    var found = PARTICIPANT.matcher(asked.texts("system").getFirst());
    assertThat(found.find()).isTrue();
    var id = found.group(1);
    var results =
        asked.messages().stream()
            .filter(message -> message.path("role").asText().equals("tool"))
            .map(message -> read(message.path("content").asText()))
            .toList();
    if (!asked.event().isEmpty()) {
      return Scripted.say("Hello, I'm your Todo AI Assistant.");
    }
    return switch (asked.lastUserText()) {
      case "hello, how are you?" -> Scripted.say("Hello! I'm doing well, thank you.");
      case "what is your name?" -> Scripted.say("I'm your Todo AI Assistant.");
      case "add 12" ->
          results.isEmpty()
              ? calls(
                  "add_task",
                  IntStream.rangeClosed(1, 12)
                      .mapToObj(n -> "{\"user_id\":\"%s\",\"title\":\"Task %d\"}".formatted(id, n))
                      .toList())
              : Scripted.say("I've added them.");
      case "show me my tasks" ->
          results.isEmpty()
              ? listed(id)
              : Scripted.say(
                  "You have %d tasks.".formatted(results.getLast().path("count").intValue()));
      case "delete all my tasks" -> {
        if (results.isEmpty()) {
          yield listed(id);
        }
        var tasks = results.getFirst().path("tasks");
        if (results.size() == 1) {
          yield calls(
              "delete_task",
              tasks.findValuesAsText("id").stream()
                  .map(task -> "{\"user_id\":\"%s\",\"task_id\":%s}".formatted(id, task))
                  .toList());
        }
        yield results.getLast().has("tasks")
            ? Scripted.say(
                "I've deleted all %d tasks. Verified: Your task list is now empty."
                    .formatted(tasks.size() - results.getLast().path("count").intValue()))
            : listed(id);
      }
      default -> throw new AssertionError(asked.lastUserText());
    };
  }

  private static Scripted listed(String id) {
    return calls("list_tasks", List.of("{\"user_id\":\"%s\",\"status\":\"all\"}".formatted(id)));
  }

  private static Scripted calls(String tool, List<String> arguments) {
    return Scripted.calls(
        IntStream.range(0, arguments.size())
            .mapToObj(n -> new Scripted.Call("call_" + tool + "_" + n, tool, arguments.get(n)))
            .toArray(Scripted.Call[]::new));
  }

  /** What each module of the fitness flow saves, and where it moves. */
  private static final Map<String, String> SAVED =
      Map.of(
          "FITNESS_ASSESSMENT",
              "{\"fitness_level\":\"beginner\",\"limitations\":[\"lower_back_pain\"]}",
          "GOAL_SETTING",
              "{\"primary_goal\":\"fat_loss\",\"height_cm\":180,\"target_weight_kg\":75.0}",
          "WORKOUT_PLANNING",
              "{\"workout_place\":\"home\",\"sessions_per_week\":3,\"session_minutes\":30,\"workout_plan\":\"Squats.\"}",
          "DIET_PLANNING", "{\"diet_choice\":\"no_plan\"}",
          "SCHEDULING",
              "{\"workout_days\":[\"Monday\"],\"workout_time\":\"18:30\",\"start_date\":\"2026-11-23\"}");

  private static void coached(Talk ada, StrictFakeServer fake) {
    for (var module : FITNESS) {
      fake.forget();
      assertThat(ada.reply("On to " + module)).isEqualTo("That is " + module + ".");
      var status = fake.asked().getFirst().texts("system").getFirst();
      for (var earlier : FITNESS.subList(0, FITNESS.indexOf(module))) {
        assertThat(status)
            .as(module + " sees what " + earlier + " saved")
            .containsPattern(
                "Earlier modules: .*\""
                    + earlier.toLowerCase(Locale.ROOT)
                    + "\":\\{\"[^}]*completed_at");
      }
    }
    assertThat(fake.asked().getFirst().texts("system").getFirst())
        .contains("\"target_weight_kg\":75", "\"limitations\":[\"lower_back_pain\"]");
    assertThat(read(ada.datum("userProfile")).path("completed_at")).hasSize(5);
  }

  /** A model that saves what its module asks for and moves on, in three answers. */
  private static Scripted coach(StrictFakeServer.Asked asked) {
    var found = MODULE.matcher(asked.texts("system").getFirst());
    assertThat(found.find()).isTrue();
    var module = found.group(1);
    if (!asked.event().isEmpty()) {
      return Scripted.say("Hello, how often do you train?");
    }
    var next = FITNESS.indexOf(module) + 1;
    return switch (asked.toolResults()) {
      case 0 -> calls("save_user_profile", List.of(String.valueOf(SAVED.get(module))));
      case 1 ->
          next < FITNESS.size()
              ? calls(
                  "transition_state",
                  List.of(
                      "{\"target_state\":\"%s\",\"delay_minutes\":null,\"reason\":\"done\"}"
                          .formatted(FITNESS.get(next))))
              : Scripted.say("That is " + module + ".");
      default -> Scripted.say("That is " + module + ".");
    };
  }
}
