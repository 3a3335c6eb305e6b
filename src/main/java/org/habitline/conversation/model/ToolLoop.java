package org.habitline.conversation.model;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.conversation.stored.Asked;
import org.habitline.conversation.stored.Asked.Elsewhere;
import org.habitline.conversation.stored.CallRecord;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.McpTool;
import org.habitline.flows.ModelSettings;
import org.habitline.flows.Prompt;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.safety.gates.Done;
import org.habitline.safety.gates.Shown;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.tools.CallLog;
import org.habitline.tools.Effect;
import org.habitline.tools.OutsideTools;
import org.habitline.tools.ToolCatalog;
import org.habitline.tools.ToolOutcome;
import org.habitline.tools.ToolRun;
import org.habitline.tools.WorkingCopy;
import org.jspecify.annotations.Nullable;

/**
 * Alternates between model and tools until the model writes a reply or the module's limit is
 * reached (spec of seeds 001 and 004). One loop serves every module. It writes only the journal and
 * returns what tools asked for as effects. An instance serves one turn, on that turn's thread.
 */
public final class ToolLoop {

  /** Longest reply that is sent, in characters: ten SMS of the largest size. */
  static final int LONGEST_REPLY = 10 * 1600;

  /** With less time left, a call that acts outside would only end as unknown. */
  private static final Duration LEAST_FOR_AN_ACT = Duration.ofSeconds(2);

  private static final String BLANK_NOTE =
      "Your last answer was empty. Write the message to the participant.";
  private static final String JSON_NOTE =
      "Your last answer was data, not words. Write the message to the participant.";
  private static final String LONG_NOTE =
      "Your last answer was too long to be sent or was cut off. Write a complete text of one or two"
          + " sentences.";
  private static final String CUT_OFF_RESULT =
      error(
          "The answer with this call was cut off, so the call did not run. Make it again, with"
              + " shorter arguments.");
  private static final String NOT_RUN_RESULT =
      error("The turn had no model call left; the call did not run.");
  private static final String NO_TIME_RESULT =
      error("The turn had no time left; the call did not run.");
  private static final String REPEATED_RESULT =
      error(
          "The same call with the same arguments was made twice in this turn already and did not"
              + " run again. Use its result, or answer the participant.");
  private static final int SAME_CALL_AT_MOST = 2;

  private final TurnContext context;
  private final Journal journal;
  private final LanguageModel model;
  private final ToolCatalog tools;
  private final OutsideTools outside;
  private final TurnGates gates;
  private final Deadline deadline;
  private final Clock clock;

  private final Shown shown;
  private final List<ModelMessage> messages = new ArrayList<>();
  private List<ModelMessage> fresh;

  /** Which of the first request's messages the record has elsewhere. */
  private final Elsewhere elsewhere;

  private final List<Effect> effects = new ArrayList<>();
  private final Map<String, SameCall> calls = new LinkedHashMap<>();
  private WorkingCopy copy;

  /** How many calls acted outside, which may have changed what another call returns. */
  private int acts;

  /** The calls of this turn that succeeded, for {@link Done#calls}. */
  private final Set<String> succeeded = new HashSet<>();

  /** What searches and tools of other servers found in this turn. */
  private final List<String> passages = new ArrayList<>();

  private boolean succeededOutside;

  /** How many model calls the turn may still make, of its {@code max_iterations}. */
  private int left;

  /** Texts of the model that a gate blocked: nobody has read them. */
  private final Set<ModelMessage> unsaid = Collections.newSetFromMap(new IdentityHashMap<>());

  ToolLoop(
      TurnContext context,
      Journal journal,
      LanguageModel model,
      ToolCatalog tools,
      OutsideTools outside,
      TurnGates gates,
      Deadline deadline,
      Clock clock) {
    this.context = context;
    this.journal = journal;
    this.model = model;
    this.tools = tools;
    this.outside = outside;
    this.gates = gates;
    this.deadline = deadline;
    this.clock = clock;
    this.fresh = journal.first().map(Iteration::messages).orElse(context.messages());
    this.elsewhere =
        journal.first().map(first -> first.asked().elsewhere()).orElse(context.elsewhere());
    this.messages.addAll(fresh);
    this.shown =
        gates.shown(
            fresh,
            context.prompt(),
            Stream.concat(
                    Stream.of(context.participant().backgroundText()),
                    TurnGates.texts(context.copy().profile()).stream())
                .toList());
    this.copy = context.copy();
    if (gates.areOn()) {
      journal.broadcast().hold();
    }
  }

  /**
   * The result of a loop.
   *
   * @param text the model's reply, or {@code null} if the flow's fallback message must be sent
   * @param effects what tools asked for, in order; they apply even without a reply
   */
  public record Result(
      Outcome outcome,
      @Nullable String text,
      @Nullable String reason,
      @Nullable ModelFailure failure,
      List<Effect> effects) {}

  /**
   * Counts how often the same call was made while nothing changed, with its last result.
   *
   * @param changesThen how many changes there were after it
   * @param unknown whether it may or may not have been carried out
   */
  private record SameCall(
      int times, int changesThen, int iteration, String result, boolean unknown) {}

  /**
   * Lets the model say what the participant's texts changed by themselves.
   *
   * @param changes what was changed before the model was asked
   */
  public ToolLoop after(List<Effect> changes) {
    if (changes.stream().anyMatch(Effect.RecordOutcome.class::isInstance)) {
      succeeded.add(ToolCatalog.OUTCOME);
    }
    return this;
  }

  /** The result of a call, and whether it is unknown if the call was carried out. */
  private record Made(String result, boolean unknown) {}

  public Result run() {
    var most = context.module().maxIterations();
    left = most;
    for (int number = 1; left > 0; number++) {
      left--;
      var ended = iterate(number, left == 0);
      if (ended.isPresent()) {
        return ended.get();
      }
    }
    return result(Outcome.NO_TEXT, null, "no usable text within " + most + " model calls");
  }

  /**
   * Runs the calls of the iterations that were finished before a crash, whose model replies are on
   * disk, and returns their effects. The loop asks the model for nothing new.
   */
  public List<Effect> effectsOfFinished() {
    for (int number = 1; ; number++) {
      var finished = journal.finished(number);
      if (finished.isEmpty()) {
        return List.copyOf(effects);
      }
      again(finished.get());
    }
  }

  /**
   * Runs the calls of a finished iteration, and shows the model what it was shown then: a tool that
   * asks a model itself finds its answer on disk only for the same request.
   */
  private void again(Iteration finished) {
    switch (finished.answer()) {
      case ModelReply.CallsTools callsTools ->
          answer(callsTools.text(), callsTools.calls(), run(finished, callsTools.calls()));
      case ModelReply.Says says -> saidBefore(finished, says);
      case ModelReply.CutOff cutOff -> remind(cutOff);
      case ModelReply.Refused refused -> {}
      case ModelReply.Failed failed -> {}
    }
  }

  private void saidBefore(Iteration finished, ModelReply.Says says) {
    var words = PlainText.storable(says.text()).strip();
    var fault = Fault.of(words);
    if (fault.isPresent()) {
      remind(fault.get().shown(), fault.get().note());
    } else if (Ruling.of(finished).orElse(null) instanceof Ruling.Again again) {
      askAgain(words, again);
    }
  }

  private Optional<Result> iterate(int number, boolean last) {
    var asked = ask(number, last);
    return switch (asked.answer()) {
      case ModelReply.Says says -> said(asked, says.text(), last);
      case ModelReply.CallsTools callsTools -> {
        if (last) {
          journal.note(asked.completed(notRun(callsTools.calls()), clock.instant()));
          yield Optional.empty();
        }
        runCalls(asked, callsTools.text(), callsTools.calls());
        yield optedOut();
      }
      case ModelReply.CutOff cutOff -> {
        cutOff(asked, cutOff);
        yield Optional.empty();
      }
      case ModelReply.Refused refused -> {
        journal.note(asked);
        yield Optional.of(
            result(
                refused.reason().equals("content_filter")
                    ? Outcome.CONTENT_FILTERED
                    : Outcome.REFUSED,
                null,
                "the model declined"));
      }
      case ModelReply.Failed failed -> {
        if (!journal.isRefusal(failed)) {
          journal.note(asked);
        }
        yield Optional.of(
            new Result(
                failed.failure() == ModelFailure.OTHER_MODEL
                    ? Outcome.OTHER_MODEL
                    : Outcome.MODEL_FAILED,
                null,
                failed.reason(),
                failed.failure(),
                List.copyOf(effects)));
      }
    };
  }

  /**
   * Ends the turn once a tool opted the participant out, because they get nothing more than the
   * confirmation; the flow's own text replaces one that a gate blocks.
   */
  private Optional<Result> optedOut() {
    return effects.stream()
        .flatMap(effect -> effect instanceof Effect.OptOut out ? Stream.of(out) : Stream.empty())
        .findFirst()
        .map(out ->
            gates
                .withholds(out.confirmation(), shown, done())
                .map(reason -> result(Outcome.GATED, null, reason))
                .orElseGet(() -> result(Outcome.REPLIED, out.confirmation(), null)));
  }

  private Iteration ask(int number, boolean last) {
    var settings = context.module().model();
    var request = request(settings, List.copyOf(messages), last);
    var hash = TurnJson.hash(request);
    var recalled = journal.recall(number, 0, hash);
    if (recalled.isPresent()) {
      return recalled.get();
    }
    var startedAt = clock.instant();
    var answer = journal.paid(request, () -> answer(request));
    var asked =
        new Iteration(
            number,
            0,
            hash,
            Asked.of(
                request, context.toolsSha256(), false, number == 1 ? elsewhere : Elsewhere.NONE),
            fresh,
            answer,
            List.of(),
            Iteration.provenance(context.module(), context.prompt(), answer),
            startedAt,
            clock.instant());
    if (answer instanceof ModelReply.CallsTools callsTools && !last) {
      var open = asked.open(pending(callsTools.calls()));
      journal.keep(open);
      return open;
    }
    return asked;
  }

  /**
   * Asks the model. Resets the live events first: text streamed by an earlier call was not the
   * reply.
   */
  private ModelReply answer(ModelRequest request) {
    var broadcast = journal.broadcast();
    broadcast.reset();
    return broadcast.isHeard()
        ? model.answer(request, deadline, broadcast)
        : model.answer(request, deadline);
  }

  private ModelRequest request(ModelSettings settings, List<ModelMessage> all, boolean last) {
    return new ModelRequest(
        settings.model(),
        settings.temperature(),
        settings.maxTokens(),
        all,
        context.tools(),
        last,
        context.module().parallelToolCalls(),
        context.flow().id());
  }

  private Optional<Result> said(Iteration asked, String text, boolean last) {
    var words = PlainText.storable(text).strip();
    var fault = Fault.of(words);
    if (fault.isPresent()) {
      journal.note(asked);
      remind(fault.get().shown(), fault.get().note());
      return Optional.empty();
    }
    var judged = judged(asked, words, !last && !deadline.passed());
    return switch (Ruling.of(judged).orElseGet(Ruling.Passed::new)) {
      case Ruling.Passed passed -> Optional.of(passed(judged, words, last));
      case Ruling.Again again -> {
        // On disk first, so that a resumed turn requests nothing twice.
        journal.keepOnce(judged);
        askAgain(words, again);
        yield Optional.empty();
      }
      case Ruling.Withheld withheld -> {
        journal.note(judged);
        yield Optional.of(result(Outcome.GATED, null, withheld.reason()));
      }
    };
  }

  private Result passed(Iteration asked, String words, boolean last) {
    if (context.budget().allows(words)) {
      journal.note(asked);
      return result(Outcome.REPLIED, words, null);
    }
    if (last) {
      journal.note(asked);
      return replied(words, words, "no model call was left to ask for a shorter one");
    }
    return shortened(asked, words);
  }

  private Iteration judged(Iteration asked, String words, boolean mayRetry) {
    return gates.judged(asked, words, shown, done(), mayRetry);
  }

  private Done done() {
    return new Done(
        succeeded,
        succeededOutside,
        copy.agenda().planned().stream().map(ToolLoop::scheduled).toList(),
        passages,
        copy.language());
  }

  private static Done.Scheduled scheduled(Agenda.Planned planned) {
    var next = planned.next().wall().toLocalTime();
    return switch (planned.schedule().time()) {
      case DailyTime.Fixed(var at) -> new Done.Scheduled(at, at, next);
      case DailyTime.Random(var start, var end) -> new Done.Scheduled(start, end, next);
    };
  }

  private void askAgain(String words, Ruling.Again again) {
    remind(words, again.note());
    unsaid.add(fresh.getFirst());
  }

  /**
   * Returns whether a model's text can be sent: it has visible characters, is not JSON and is not
   * too long.
   */
  public static boolean sendable(String words) {
    return Fault.of(words).isEmpty();
  }

  /**
   * The reason why a text cannot be sent.
   *
   * @param shown the part of the text that is shown to the model again
   * @param note the instruction for the model
   */
  private record Fault(String shown, String note) {

    static Optional<Fault> of(String words) {
      if (words.codePoints().noneMatch(ToolLoop::shows)) {
        return Optional.of(new Fault("", BLANK_NOTE));
      }
      if (words.length() > LONGEST_REPLY) {
        return Optional.of(new Fault(words.substring(0, LONGEST_REPLY), LONG_NOTE));
      }
      return TurnJson.isJson(words) ? Optional.of(new Fault(words, JSON_NOTE)) : Optional.empty();
    }
  }

  /**
   * Asks once for a shorter text without tool calls, and replies with the shorter of the two. The
   * long one is written to disk first, so that a resumed turn requests nothing twice.
   */
  private Result shortened(Iteration asked, String tooLong) {
    journal.keepOnce(asked);
    remind(tooLong, context.budget().hint(tooLong));
    var again = ask(asked.number() + 1, true);
    return switch (again.answer()) {
      case ModelReply.Says says -> {
        var words = PlainText.storable(says.text()).strip();
        var faulty = Fault.of(words).isPresent();
        var judged = faulty ? again : judged(again, words, false);
        journal.keepOnce(judged);
        if (faulty) {
          yield replied(tooLong, tooLong, "asked for a shorter one, the model gave no usable text");
        }
        yield Ruling.of(judged).orElse(null) instanceof Ruling.Withheld withheld
            ? replied(tooLong, tooLong, "of the shorter one, " + withheld.reason())
            : replied(
                context.budget().shorter(words, tooLong),
                tooLong,
                "the model was asked for a shorter one");
      }
      case ModelReply.CallsTools callsTools -> {
        journal.note(again.completed(notRun(callsTools.calls()), clock.instant()));
        yield replied(tooLong, tooLong, "asked for a shorter one, the model called tools instead");
      }
      case ModelReply.CutOff cutOff -> {
        journal.note(again.completed(notRun(cutOff.calls()), clock.instant()));
        yield replied(tooLong, tooLong, "asked for a shorter one, the model was cut off");
      }
      case ModelReply.Refused refused -> {
        journal.note(again);
        yield replied(tooLong, tooLong, "asked for a shorter one, the model declined");
      }
      case ModelReply.Failed failed -> {
        if (!journal.isRefusal(failed)) {
          journal.note(again);
        }
        yield replied(
            tooLong, tooLong, "asked for a shorter one, the model failed: " + failed.reason());
      }
    };
  }

  private Result replied(String text, String tooLong, String what) {
    var budget = context.budget();
    return result(
        Outcome.REPLIED,
        text,
        "the reply would take "
            + budget.segments(tooLong)
            + " segments (at most "
            + budget.most()
            + " are allowed); "
            + what
            + "; "
            + budget.segments(text)
            + " segments were sent");
  }

  /** Returns whether a character is visible on a screen. */
  private static boolean shows(int character) {
    return switch (Character.getType(character)) {
      case Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.CONTROL,
          Character.FORMAT ->
          false;
      default -> true;
    };
  }

  private void cutOff(Iteration asked, ModelReply.CutOff cutOff) {
    journal.note(
        cutOff.calls().isEmpty() ? asked : asked.completed(withoutRun(cutOff), clock.instant()));
    remind(cutOff);
  }

  /** Shows the model its answer that was cut off. */
  private void remind(ModelReply.CutOff cutOff) {
    if (cutOff.calls().isEmpty()) {
      remind(cutOff.text() == null ? "" : cutOff.text(), LONG_NOTE);
    } else {
      answer(cutOff.text(), cutOff.calls(), withoutRun(cutOff));
    }
  }

  private List<CallRecord> withoutRun(ModelReply.CutOff cutOff) {
    return cutOff.calls().stream().map(call -> open(call).with(CUT_OFF_RESULT)).toList();
  }

  /** Shows the model its last text and why it cannot be sent. */
  private void remind(String said, String note) {
    var next = new ArrayList<ModelMessage>();
    if (!said.isBlank()) {
      next.add(new ModelMessage.AssistantText(said, List.of()));
    }
    next.add(Section.NOTE.holding(note));
    follow(next);
  }

  private void runCalls(Iteration asked, @Nullable String text, List<ToolCall> asks) {
    var records = run(asked, asks);
    journal.completed(asked.completed(records, clock.instant()));
    answer(text, asks, records);
  }

  /** Runs the calls of an iteration, in order, and returns them with their results. */
  private List<CallRecord> run(Iteration asked, List<ToolCall> asks) {
    var records = new ArrayList<>(asked.toolCalls());
    var children = new Children(asked.number());
    for (int i = 0; i < asks.size(); i++) {
      var result = runOnce(asked, asks.get(i), i, records, children);
      records.set(i, records.get(i).with(result));
      remember(records.get(i), result);
    }
    return List.copyOf(records);
  }

  /** Keeps what a call lets the model say, unless it failed. */
  private void remember(CallRecord call, String result) {
    var status = TurnJson.status(result);
    if (status.equals(ToolOutcome.SUCCESS) || status.equals(ToolOutcome.NOOP)) {
      var arguments = TurnJson.treeOrText(call.arguments());
      succeeded.add(call.name());
      succeeded.add(call.name() + " " + arguments.path("action").asText());
      arguments.properties().stream()
          .filter(argument -> !argument.getValue().isNull())
          .forEach(argument -> succeeded.add(call.name() + " " + argument.getKey()));
      succeededOutside |= call.source() != null;
      if (call.source() != null || call.name().equals(ToolCatalog.SEARCH)) {
        passages.add(result);
      }
    }
  }

  private void answer(@Nullable String text, List<ToolCall> asks, List<CallRecord> records) {
    var next = new ArrayList<ModelMessage>();
    next.add(new ModelMessage.AssistantText(text, asks));
    for (var done : records) {
      next.add(new ModelMessage.ToolResult(done.id(), Objects.requireNonNull(done.result())));
    }
    follow(next);
  }

  private void follow(List<ModelMessage> next) {
    fresh = List.copyOf(next);
    messages.addAll(fresh);
  }

  /**
   * Runs a call, unless the very same one was made before and nothing changed since: a repeat
   * within one model reply shares the result, a third in the turn is refused. A call that may or
   * may not have been carried out is not made again in the turn.
   */
  private String runOnce(
      Iteration asked, ToolCall call, int place, List<CallRecord> records, Children children) {
    var number = asked.number();
    var key = call.name() + "\n" + TurnJson.canonical(call.arguments());
    var made = calls.get(key);
    if (made != null && made.unknown()) {
      return made.result();
    }
    var before = made != null && made.changesThen() == changes() ? made : null;
    if (before != null && before.iteration() == number) {
      return before.result();
    }
    if (before != null && before.times() >= SAME_CALL_AT_MOST) {
      return REPEATED_RESULT;
    }
    var tool = tool(call.name());
    var now =
        records.get(place).actedOutside() || tool.isPresent()
            ? runOutside(asked, call, place, records)
            : runHere(call, children);
    calls.put(
        key,
        new SameCall(
            before == null ? 1 : before.times() + 1,
            changes(),
            number,
            now.result(),
            now.unknown()));
    return now.result();
  }

  private int changes() {
    return effects.size() + acts;
  }

  private Made runHere(ToolCall call, Children children) {
    // A module's tool that makes no sense in this turn counts as unknown.
    var offered = context.tools().stream().map(ToolSpec::name).toList();
    if (!offered.contains(call.name())) {
      return made(ToolCatalog.notOffered(offered));
    }
    var invented = gates.inventedContact(call, shown, done());
    if (invented.isPresent()) {
      return made(
          ToolOutcome.error(
              "The call was not carried out, because nothing that you were shown contains %s. Never make up a number, a link or an address."
                  .formatted(invented.get())));
    }
    var outcome =
        tools.call(
            new ToolRun(
                context.participant(),
                context.flow(),
                context.module().id(),
                copy,
                context.now(),
                context.prompts(),
                children.model(),
                messages.stream().filter(message -> !unsaid.contains(message)).toList()),
            context.module(),
            call);
    children.endIfLost();
    for (var effect : outcome.effects()) {
      effects.add(effect);
      copy = copy.with(effect);
    }
    return made(outcome);
  }

  private static Made made(ToolOutcome outcome) {
    return new Made(TurnJson.write(outcome.result()), outcome.isUnknown());
  }

  /**
   * Makes a call that acts outside, unless an earlier attempt of this turn began it. That it begins
   * is on disk before, and its result right after, because it is not made again.
   */
  private Made runOutside(Iteration asked, ToolCall call, int place, List<CallRecord> records) {
    var record = records.get(place);
    var tool = tool(call.name());
    acts++;
    if (record.result() != null) {
      return new Made(
          record.result(), TurnJson.status(record.result()).equals(ToolOutcome.UNKNOWN));
    }
    if (record.begun() || tool.isEmpty()) {
      return new Made(Journal.UNKNOWN_RESULT, true);
    }
    if (tooLateToAct()) {
      return new Made(NO_TIME_RESULT, false);
    }
    records.set(place, record.beginning());
    journal.progressed(asked.open(List.copyOf(records)));
    if (tooLateToAct()) {
      // The database took its time; a call now would end as unknown.
      records.set(place, records.get(place).with(NO_TIME_RESULT));
      journal.progressed(asked.open(List.copyOf(records)));
      return new Made(NO_TIME_RESULT, false);
    }
    logBeginning(call);
    // Half of the time, so that the model can still say what came of it.
    var made = made(outside.call(tool.get(), call, deadline.left().dividedBy(2)));
    records.set(place, records.get(place).with(made.result()));
    journal.progressed(asked.open(List.copyOf(records)));
    return made;
  }

  private void logBeginning(ToolCall call) {
    context.tools().stream()
        .filter(spec -> spec.name().equals(call.name()))
        .findFirst()
        .ifPresent(spec ->
            ToolCatalog.arguments(call.arguments())
                .ifPresent(arguments ->
                    CallLog.begins(context.participant().id(), () -> spec, arguments)));
  }

  private boolean tooLateToAct() {
    return deadline.left().compareTo(LEAST_FOR_AN_ACT) < 0;
  }

  private static String error(String message) {
    return TurnJson.write(ToolOutcome.error(message).result());
  }

  private List<CallRecord> pending(List<ToolCall> asks) {
    return asks.stream().map(this::open).toList();
  }

  private CallRecord open(ToolCall call) {
    return CallRecord.open(
        call.id(),
        call.name(),
        call.arguments(),
        tool(call.name()).map(tool -> tool.server().source()).orElse(null));
  }

  /** Returns the tool of another server that the module offers under this name. */
  private Optional<McpTool> tool(String name) {
    return context.module().options(name, McpTool.class);
  }

  private List<CallRecord> notRun(List<ToolCall> asks) {
    return asks.stream().map(call -> open(call).with(NOT_RUN_RESULT)).toList();
  }

  private Result result(Outcome outcome, @Nullable String text, @Nullable String reason) {
    return new Result(outcome, text, reason, null, List.copyOf(effects));
  }

  /** The model calls that the tools of one iteration make, journaled as its children. */
  private final class Children {
    private final int number;
    private int child;

    /**
     * The failure that kept a reply out of the journal; it ends this attempt even if the tool
     * caught it.
     */
    private @Nullable RuntimeException lost;

    Children(int number) {
      this.number = number;
    }

    void endIfLost() {
      if (lost != null) {
        throw lost;
      }
    }

    /** Returns the model for the iteration's tools. */
    JournaledModel model() {
      return new JournaledModel(
          journal,
          model,
          deadline,
          clock,
          () -> new JournaledModel.Place(number, ++child),
          (request, prompt) -> (iteration, says) -> judged(iteration, says, prompt),
          this::keep);
    }

    /**
     * Checks a habit prompt, which may be sent as it is; other texts are only for the model. The
     * retry counts as a model call of the turn, and leaves one for the reply.
     */
    private Iteration judged(Iteration iteration, ModelReply.Says says, Prompt prompt) {
      var generator = context.flow().promptGenerator();
      if (generator == null || !prompt.isOf(generator.prompt())) {
        return iteration;
      }
      var judged =
          gates.judged(
              iteration,
              PlainText.storable(says.text()).strip(),
              TurnGates.generated(shown, prompt),
              Done.NOTHING,
              left > 1 && !deadline.passed());
      if (Ruling.of(judged).orElse(null) instanceof Ruling.Again) {
        left--;
      }
      return judged;
    }

    private void keep(Iteration iteration) {
      try {
        journal.keep(iteration);
      } catch (RuntimeException e) {
        lost = e;
        throw e;
      }
    }
  }
}
