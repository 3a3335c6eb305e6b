package org.habitline.rehearsal.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.habitline.Patience;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/**
 * A line in memory that plays turns against a new rehearsal model for every question: builds the
 * context, runs the tools on a map, and keeps what was said.
 */
final class RehearsedLine {

  static final String JOINED = "The participant has just joined and expects a greeting.";
  static final String CHECK_IN =
      "The participant was sent a habit prompt and has not replied; ask once, in one sentence, how"
          + " it went.";
  static final String CHECK_IN_AGAIN =
      "The participant was sent a habit prompt and has still not replied; ask once more, gently,"
          + " in one sentence.";
  static final String RESOURCES = "Please call 112, or find a helpline at findahelpline.com.";
  static final List<String> FIELDS =
      List.of(
          "prompt_anchor",
          "preferred_time",
          "habit_domain",
          "motivational_frame",
          "additional_info",
          "last_successful_prompt",
          "last_barrier",
          "last_motivator",
          "last_tweak");

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int MAX_ITERATIONS = 10;
  private static final int HISTORY = 30;

  /** A call that was made, and what the model was told. */
  record Called(String tool, ObjectNode arguments, ObjectNode result) {
    boolean good() {
      return !result.path("status").asText().equals("error");
    }
  }

  final Map<String, String> profile = new TreeMap<>();
  final Set<String> tones = new HashSet<>();
  final List<ModelMessage> history = new ArrayList<>();
  final List<Called> calls = new ArrayList<>();
  final Set<String> failing = new HashSet<>();
  Set<String> offered = Set.of(Act.SAVE, Act.MOVE, Act.WRITE);
  String module = "INTAKE";
  String refusal = "%s is outside the allowed hours %s-%s.";
  String prompt =
      "You coach.\n- In a crisis, stop coaching and answer only with this text: " + RESOURCES;
  int maxIterations = MAX_ITERATIONS;
  final Map<String, String> schedules = new LinkedHashMap<>();
  String zone = "Europe/Berlin";
  LocalTime opens = LocalTime.of(8, 0);
  LocalTime closes = LocalTime.of(21, 0);
  @Nullable String dailyPrompt;
  @Nullable String lastPrompt;
  @Nullable String movingTo;
  List<Called> turn = List.of();

  String join() {
    return play(List.of(JOINED), false);
  }

  /** Offers the scheduler as well. */
  RehearsedLine withSchedules() {
    offered = Set.of(Act.SAVE, Act.MOVE, Act.WRITE, Act.SCHEDULE);
    return this;
  }

  /** Asks for words about something that happened, which is no text of the participant. */
  String hinted(String hint) {
    return play(List.of(hint), false);
  }

  /** Sends texts that waited together and returns the reply. */
  String text(String... texts) {
    return play(List.of(texts), true);
  }

  /** Something the line sent without asking the model, such as a daily prompt. */
  void sent(String text) {
    history.add(new ModelMessage.AssistantText(text, List.of()));
  }

  private String play(List<String> texts, boolean kept) {
    var parts = new ArrayList<ModelMessage.SystemText>();
    parts.add(new ModelMessage.SystemText(prompt));
    parts.add(Section.BACKGROUND.holding("Name: Ada Example\nBackground: likes tea"));
    parts.add(Section.STATUS.holding(status()));
    if (!kept) {
      texts.forEach(hint -> parts.add(Section.EVENT.holding(hint)));
    }
    var request = new ArrayList<ModelMessage>();
    request.add(Section.joined(parts));
    request.addAll(history.subList(Math.max(0, history.size() - HISTORY), history.size()));
    if (kept) {
      texts.forEach(text -> request.add(new ModelMessage.UserText(text)));
    }
    turn = new ArrayList<>();
    movingTo = null;
    for (int number = 1; number <= maxIterations; number++) {
      var last = number == maxIterations;
      var reply =
          ask(new ModelRequest(null, null, null, List.copyOf(request), tools(), last, false));
      if (reply instanceof ModelReply.Says says) {
        if (kept) {
          texts.forEach(text -> history.add(new ModelMessage.UserText(text)));
        }
        sent(says.text());
        module = movingTo == null ? module : movingTo;
        return says.text();
      }
      var asks = ((ModelReply.CallsTools) reply).calls();
      request.add(new ModelMessage.AssistantText(null, asks));
      for (var call : asks) {
        request.add(new ModelMessage.ToolResult(call.id(), run(call)));
      }
    }
    throw new AssertionError("the model did not speak");
  }

  private static ModelReply ask(ModelRequest request) {
    LanguageModel model = new RehearsalModel();
    return model.answer(request, Deadline.in(Patience.LONG));
  }

  String status() {
    var line = JSON.createObjectNode();
    if (!profile.isEmpty()) {
      profile.forEach(line::put);
      line.put("intensity", profile.getOrDefault("intensity", "normal"));
      line.put("success_count", 0).put("total_prompts", 0);
    }
    var missing = missing();
    return String.join(
        "\n",
        "Module: " + module,
        "Local time: 2026-11-21 08:15, Saturday, " + zone,
        "Profile: " + line,
        "Missing for a habit prompt: "
            + (missing.isEmpty() ? "nothing" : String.join(", ", missing)),
        "Active schedules: "
            + (schedules.isEmpty() ? "none" : String.join("; ", schedules.values())),
        "Last habit prompt: " + (lastPrompt == null ? "none" : lastPrompt),
        "Daily prompt: " + (dailyPrompt == null ? "none yet" : dailyPrompt),
        "The profile is whatever it is.");
  }

  List<String> missing() {
    return List.of("prompt_anchor", "preferred_time").stream()
        .filter(field -> !profile.containsKey(field))
        .toList();
  }

  private String run(ToolCall call) {
    try {
      var arguments = (ObjectNode) JSON.readTree(call.arguments());
      var result =
          failing.contains(call.name()) ? error("It did not work.") : result(call, arguments);
      var called = new Called(call.name(), arguments, result);
      turn.add(called);
      calls.add(called);
      return result.toString();
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private ObjectNode result(ToolCall call, ObjectNode arguments) {
    checkStrict(call.name(), arguments);
    return switch (call.name()) {
      case Act.SAVE -> save(arguments);
      case Act.MOVE -> move(arguments.path("target_state").asText());
      case Act.WRITE -> write();
      case Act.SCHEDULE -> schedule(arguments);
      default -> throw new AssertionError("unknown tool " + call.name());
    };
  }

  private ObjectNode save(ObjectNode arguments) {
    var changed = false;
    for (var field : arguments.properties()) {
      if (field.getKey().equals("tone_tags") && field.getValue().isArray()) {
        for (var tag : field.getValue()) {
          changed |= tones.add(tag.asText());
        }
      } else if (field.getValue().isTextual() && !field.getKey().startsWith("tone_")) {
        var value = field.getValue().textValue();
        changed |= !value.equals(profile.put(field.getKey(), value));
      }
    }
    return JSON.createObjectNode().put("status", changed ? "success" : "noop");
  }

  private ObjectNode move(String target) {
    if (movingTo != null) {
      return error("Only the first move counts.");
    }
    movingTo = target;
    return JSON.createObjectNode().put("status", "success").put("to", target);
  }

  private ObjectNode write() {
    if (!missing().isEmpty()) {
      return error("missing " + missing());
    }
    var profileLine = status().lines().filter(line -> line.startsWith("Profile: ")).findFirst();
    var asked =
        List.<ModelMessage>of(
            new ModelMessage.SystemText("You write the habit prompt."),
            Section.STATUS.holding(profileLine.orElseThrow()),
            Section.EVENT.holding("The prompt is due: write it now."));
    var reply = ask(new ModelRequest(null, null, null, asked, List.of(), false, null));
    lastPrompt = ((ModelReply.Says) reply).text();
    return JSON.createObjectNode()
        .put("status", "success")
        .put("delivery_mode", "immediate")
        .put("prompt", lastPrompt);
  }

  private ObjectNode schedule(ObjectNode arguments) {
    if (arguments.path("action").asText().equals("delete")) {
      var id = arguments.path("schedule_id").asText();
      return schedules.remove(id) == null
          ? error("There is no such schedule.")
          : JSON.createObjectNode().put("status", "success").put("schedule_id", id);
    }
    var fixed = arguments.path("type").asText().equals("fixed");
    var start = arguments.path(fixed ? "fixed_time" : "random_start_time").asText();
    var end = arguments.path(fixed ? "fixed_time" : "random_end_time").asText();
    if (fixed && arguments.path("fixed_time").isNull()) {
      return error("This line has no usual time.");
    }
    if (LocalTime.parse(start).isBefore(opens) || LocalTime.parse(end).isAfter(closes)) {
      return error(refusal.formatted(fixed ? start : start + "-" + end, opens, closes))
          .put("field", fixed ? "fixed_time" : "random_start_time");
    }
    var replaced = schedules.keySet().stream().findFirst();
    schedules.clear();
    var id = "sch_%02d".formatted(calls.size());
    var local = fixed ? start : start + "-" + end;
    var next = "2026-11-22 " + start;
    schedules.put(id, "%s %s %s, next %s".formatted(id, fixed ? "fixed" : "random", local, next));
    var result =
        JSON.createObjectNode()
            .put("status", "success")
            .put("schedule_id", id)
            .put("type", fixed ? "fixed" : "random")
            .put("local_time", local)
            .put("timezone", arguments.path("timezone").asText(zone))
            .put("next_at_local", next)
            .put("message", "A prompt every day.");
    replaced.ifPresent(old -> result.put("replaced", old));
    return result;
  }

  private static ObjectNode error(String message) {
    return JSON.createObjectNode().put("status", "error").put("message", message);
  }

  private void checkStrict(String tool, ObjectNode arguments) {
    var schema =
        tools().stream().filter(spec -> spec.name().equals(tool)).findFirst().orElseThrow();
    var declared = new ArrayList<String>();
    schema.schema().path("properties").fieldNames().forEachRemaining(declared::add);
    var given = new ArrayList<String>();
    arguments.fieldNames().forEachRemaining(given::add);
    if (!given.equals(declared)) {
      throw new AssertionError(tool + " was called with " + given + ", declared is " + declared);
    }
  }

  private List<ToolSpec> tools() {
    return List.of(
            new ToolSpec(Act.MOVE, "moves", schema("target_state", "reason")),
            new ToolSpec(Act.SAVE, "saves", saveSchema()),
            new ToolSpec(Act.SCHEDULE, "schedules", scheduleSchema()),
            new ToolSpec(Act.WRITE, "writes", schema("delivery_mode", "personalization_notes")))
        .stream()
        .filter(spec -> offered.contains(spec.name()))
        .toList();
  }

  private static ObjectNode saveSchema() {
    var names = new ArrayList<>(FIELDS);
    names.addAll(
        List.of("intensity", "tone_tags", "tone_update_source", "tone_confidence", "clear_fields"));
    var schema = schema(names.toArray(String[]::new));
    var intensity = (ObjectNode) schema.path("properties").path("intensity");
    intensity.putArray("enum").add("low").add("normal").add("high").addNull();
    return schema;
  }

  private static ObjectNode scheduleSchema() {
    var schema =
        schema(
            "action",
            "type",
            "fixed_time",
            "random_start_time",
            "random_end_time",
            "timezone",
            "schedule_id");
    var properties = (ObjectNode) schema.path("properties");
    properties.putObject("action").putArray("enum").add("create").add("list").add("delete");
    properties.putObject("type").putArray("enum").add("fixed").add("random").addNull();
    return schema;
  }

  private static ObjectNode schema(String... names) {
    var schema = JSON.createObjectNode().put("type", "object");
    var properties = schema.putObject("properties");
    for (var name : names) {
      properties.putObject(name).putArray("type").add("string").add("null");
    }
    return schema;
  }

  /** The newest words of the line. */
  String last() {
    return Objects.requireNonNull(history.getLast().content());
  }
}
