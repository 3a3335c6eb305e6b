package org.habitline.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowFolders;
import org.habitline.flows.FlowLanguages;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowTexts;
import org.habitline.flows.Guidance;
import org.habitline.flows.ModelSettings;
import org.habitline.flows.ProfileField;
import org.habitline.flows.Prompt;
import org.habitline.flows.PromptGenerator;
import org.habitline.flows.StatusPart;
import org.habitline.flows.ToolOptions;
import org.habitline.flows.ToolUse;
import org.habitline.flows.WhatsAppTemplates;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.llm.ToolCall;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.SomeParticipant;
import org.habitline.timers.Agenda;
import org.habitline.timers.AllowedHours;
import org.habitline.timers.Moment;
import org.habitline.timers.Occurrence;
import org.habitline.timers.PromptTimes;
import org.jspecify.annotations.Nullable;

/**
 * A flow shaped like the habit flow, a participant in it, and a model that says what it is told.
 */
final class Habit {

  static final Instant NOW = Instant.parse("2026-11-21T07:15:00Z");
  static final Receipt RECEIPT = new Receipt("a-model", "a-model", "req_1", "stop", 10, 5, 20, 1);
  static final List<String> TOOLS =
      List.of(
          "transition_state",
          "save_user_profile",
          "scheduler",
          "generate_habit_prompt",
          "add_task",
          "list_tasks",
          "complete_task",
          "update_task",
          "delete_task",
          "rag_search",
          "write_data",
          "read_data",
          "export_data",
          "flag_for_staff",
          "record_outcome",
          "set_language",
          "opt_out");

  /** Prompts between eight in the morning and nine in the evening, on time. */
  static final PromptTimes TIMES = times("08:00-21:00", Duration.ZERO);

  private static final ModelSettings MODEL = new ModelSettings("a-model", 0.3, 200);
  private static final JsonMapper JSON = new JsonMapper();

  private Habit() {}

  static Flow flow() {
    return flow(new PromptGenerator("prompt_generator_system.txt", "Time for one minute.", MODEL));
  }

  static Flow flow(@Nullable PromptGenerator generator) {
    return flow(generator, daily(1));
  }

  static DailyPrompt daily(int most) {
    return daily(most, DailyPrompt.Vary.WORDING);
  }

  static DailyPrompt daily(int most, DailyPrompt.Vary vary) {
    return new DailyPrompt(
        LocalTime.of(11, 15),
        most,
        null,
        "Did you do it?",
        "Done",
        "Next time",
        "FEEDBACK",
        null,
        "A reminder.",
        "How did it go?",
        "How was it?",
        vary,
        null);
  }

  /** The flow with another module in place of the one of its name. */
  static Flow flowWith(FlowModule module) {
    var flow = flow();
    var modules = new LinkedHashMap<>(flow.modules());
    modules.put(module.id(), module);
    return new Flow(
        flow.id(),
        flow.initialState(),
        modules,
        flow.profile(),
        flow.tone(),
        flow.promptGenerator(),
        flow.dailyPrompt(),
        flow.texts(),
        flow.whatsapp());
  }

  static Flow flow(@Nullable PromptGenerator generator, @Nullable DailyPrompt daily) {
    var modules = new LinkedHashMap<String, FlowModule>();
    modules.put("INTAKE", module("INTAKE", TOOLS));
    modules.put("FEEDBACK", module("FEEDBACK", TOOLS));
    return new Flow(
        "habit",
        "INTAKE",
        modules,
        List.of(
            text("prompt_anchor", 200, true, List.of()),
            text("preferred_time", 60, true, List.of()),
            text("habit_domain", 120, false, List.of()),
            text("last_barrier", 300, false, List.of("last_blocker")),
            new ProfileField(
                "intensity",
                new FieldType.Choice(List.of("low", "normal", "high")),
                null,
                false,
                false,
                "How much is asked.",
                List.of(),
                TextNode.valueOf("normal"))),
        true,
        generator,
        daily,
        new FlowTexts("Hello.", "Sorry.", "Help.", "Bye.", "Done.", "Call.", null, null),
        WhatsAppTemplates.NONE,
        new FlowLanguages("en", "en", new TreeSet<>(List.of("en", "es"))));
  }

  /** The module of the runs. */
  static FlowModule module() {
    return module("INTAKE", TOOLS);
  }

  static FlowModule module(String id, List<String> tools) {
    return moduleWith(id, tools.stream().map(tool -> new ToolUse(tool, options(tool))).toList());
  }

  static FlowModule moduleWith(String id, List<ToolUse> uses) {
    return new FlowModule(
        id,
        id + ".txt",
        uses,
        50,
        30,
        10,
        false,
        MODEL,
        List.of(StatusPart.MODULE),
        new Guidance("Ask.", "Go on."));
  }

  private static ToolOptions options(String tool) {
    return tool.equals("export_data") ? new ExportData.Options("summary.txt") : ToolOptions.NONE;
  }

  private static ProfileField text(
      String name, int maxLength, boolean required, List<String> aliases) {
    return new ProfileField(
        name,
        new FieldType.Text(1, maxLength),
        null,
        false,
        required,
        "What it is.",
        aliases,
        null);
  }

  static Participant participant() {
    return SomeParticipant.of(
        "Works from home",
        ZoneOffset.UTC,
        ChannelKind.SIMULATOR,
        ParticipantStatus.ACTIVE,
        false,
        NOW);
  }

  /** Returns texts as a profile holds them. */
  static Map<String, JsonNode> values(Map<String, String> texts) {
    var values = new LinkedHashMap<String, JsonNode>();
    texts.forEach((name, text) -> values.put(name, TextNode.valueOf(text)));
    return values;
  }

  static Profile profile(Map<String, String> fields) {
    return new Profile(values(fields), Map.of(), 0, 0, Tone.unknown(), NOW, NOW);
  }

  static Profile complete() {
    return profile(Map.of("prompt_anchor", "while the coffee brews", "preferred_time", "8:15"));
  }

  static WorkingCopy copy(Profile profile) {
    return new WorkingCopy(
        "INTAKE",
        null,
        null,
        profile,
        null,
        null,
        Agenda.empty(participant().zone()),
        tasks("Buy milk", "Call the dentist"),
        List.of(
            prompt("2026-11-22", Occurrence.Status.PLANNED),
            prompt("2026-11-21", Occurrence.Status.SENT),
            prompt("2026-11-20", Occurrence.Status.MISSED),
            prompt("2026-11-19", Occurrence.Status.SENT)));
  }

  /** A daily prompt of this date. */
  static Occurrence prompt(String date, Occurrence.Status status) {
    var at = LocalDate.parse(date).atTime(7, 0).toInstant(ZoneOffset.UTC);
    var sent = status == Occurrence.Status.SENT ? at : null;
    return new Occurrence(
        new Occurrence.Key(LocalDate.parse(date), 1),
        "sch_1",
        Moment.at(at, ZoneOffset.UTC),
        status,
        null,
        sent == null ? null : 3,
        sent,
        sent,
        sent != null,
        null,
        null,
        null,
        sent,
        sent != null,
        null);
  }

  /** Tasks with the ids 1, 2 and so on; the first is completed. */
  static Records tasks(String... titles) {
    var records = Records.NONE;
    for (var title : titles) {
      var tasks = new Tasks(List.of(), records.list("task").size() + 1L);
      var task = new Tasks.Task(tasks.next(), title, tasks.next() == 1);
      records = records.with(task.put()).with(tasks.used());
    }
    return records;
  }

  static ToolRun run(Profile profile) {
    return run(flow(), copy(profile), NOW, saying("unasked"));
  }

  static ToolRun run(Profile profile, Instant now) {
    return run(flow(), copy(profile), now, saying("unasked"));
  }

  static ToolRun run(Flow flow, WorkingCopy copy, Instant now, NestedModel model) {
    return new ToolRun(participant(), flow, "INTAKE", copy, now, Habit::prompt, model);
  }

  /** A run in a module of any flow, with this profile and a model that says this. */
  static ToolRun run(Flow flow, String module, Profile profile, String says) {
    var copy =
        new WorkingCopy(module, null, profile, null, null, copy(profile).agenda(), Records.NONE);
    return new ToolRun(participant(), flow, module, copy, NOW, Habit::prompt, saying(says));
  }

  static NestedModel saying(String text) {
    return (request, prompt) -> Optional.of(new ModelReply.Says(text, RECEIPT));
  }

  static Prompt prompt(Flow flow, String file) {
    return new Prompt(file, "Write one sentence.", "abc123", "Write one sentence.", false);
  }

  static ToolCatalog catalog() {
    return new ToolCatalog(
        List.of(
            new TransitionState(),
            new SaveUserProfile(),
            new Scheduler(TIMES),
            new GenerateHabitPrompt(new HabitPromptWriter()),
            new AddTask(),
            new ListTasks(),
            new CompleteTask(),
            new UpdateTask(),
            new DeleteTask(),
            new RagSearch(documents(Path.of("src", "test", "resources", "flows"))),
            new WriteData(),
            new ReadData(),
            new ExportData(new FormSummary(), new ExportFiles(Path.of("target", "tools-home"))),
            new FlagForStaff(),
            new RecordOutcome(),
            new SetLanguage(),
            new OptOut()));
  }

  /** The documents of flows in a folder, found by their words. */
  static KnowledgeBases documents(Path flows) {
    return new KnowledgeBases(
        new FlowFolders(flows), Optional.empty(), Clock.fixed(NOW, ZoneOffset.UTC));
  }

  static PromptTimes times(String allowed, Duration early) {
    return new PromptTimes(
        AllowedHours.read(allowed).orElseThrow(),
        early,
        Duration.ofHours(2),
        Duration.ofHours(5),
        true,
        Duration.ofMinutes(5),
        Duration.ofMinutes(15),
        Duration.ofHours(3),
        Optional.empty());
  }

  static ToolCall call(String tool, String arguments) {
    return new ToolCall("call_1", tool, arguments);
  }

  static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The state as a turn would leave it after a call. */
  static ToolRun after(ToolRun run, ToolOutcome outcome) {
    var copy = run.copy();
    for (var effect : outcome.effects()) {
      copy = copy.with(effect);
    }
    return new ToolRun(
        run.participant(), run.flow(), run.module(), copy, run.now(), run.prompts(), run.model());
  }

  /** A model that remembers what it was asked. */
  static final class Listening implements NestedModel {

    private final ModelReply reply;
    private final List<ModelRequest> asked = new ArrayList<>();

    Listening(ModelReply reply) {
      this.reply = reply;
    }

    @Override
    public Optional<ModelReply> ask(ModelRequest request, Prompt prompt) {
      asked.add(request);
      return Optional.of(reply);
    }

    List<ModelRequest> asked() {
      return asked;
    }
  }
}
