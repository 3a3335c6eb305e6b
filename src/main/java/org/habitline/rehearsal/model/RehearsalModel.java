package org.habitline.rehearsal.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.habitline.flows.PhraseTable;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.llm.Section;
import org.habitline.llm.TextListener;
import org.habitline.llm.ToolCall;

/**
 * Plays the habit flow, and fills in the fields of any other flow, by fixed rules, without key,
 * network or model. All it knows is the request and the phrases of the request's flow: the same
 * request gets the same reply from any instance in any process. A reply is either calls without
 * text or text that is not blank; it holds one call, unless the request allows several and they
 * repeat one tool. The first message to a participant says that this is a rehearsal.
 */
public final class RehearsalModel implements LanguageModel {

  private static final String NAME = "rehearsal";
  private static final Pattern WORD_END = Pattern.compile("(?<=\\s)(?=\\S)");
  private static final Map<String, Script> SCRIPTS =
      Map.of("INTAKE", Intake::plan, "FEEDBACK", Feedback::plan);

  private final Function<String, PhraseTable> phrases;

  /** Creates a model that knows no flow's phrases. */
  public RehearsalModel() {
    this(flow -> PhraseTable.NONE);
  }

  /**
   * Creates a model.
   *
   * @param phrases returns the phrases of a flow, by its id
   */
  public RehearsalModel(Function<String, PhraseTable> phrases) {
    this.phrases = phrases;
  }

  @Override
  public ModelReply answer(ModelRequest request, Deadline deadline) {
    var started = System.nanoTime();
    var status = Status.of(request);
    if (status.module().isEmpty() && request.tools().isEmpty()) {
      var shown = Section.STATUS.in(request).orElse("");
      var form = Status.formOf(request).map(Lines::summary);
      return says(form.orElseGet(() -> HabitSentence.of(status, shown)), started);
    }
    var outcomes = Outcomes.of(request);
    var table = request.flow() == null ? PhraseTable.NONE : phrases.apply(request.flow());
    var plan = plan(table, Scene.of(request), outcomes);
    var due = plan.due(outcomes, Boolean.TRUE.equals(request.parallelToolCalls()));
    if (request.mustSpeak() || due.isEmpty()) {
      return says(plan.words().apply(outcomes), started);
    }
    var calls = new ArrayList<ToolCall>();
    for (var act : due) {
      var number = outcomes.all().size() + calls.size() + 1;
      calls.add(
          new ToolCall(
              "call_%08x_%d".formatted(Scene.hash(request), number),
              act.tool(),
              act.arguments().toString()));
    }
    return new ModelReply.CallsTools(null, calls, receipt("tool_calls", started));
  }

  /** Returns the reply and passes its text to the listener word by word, without pauses. */
  @Override
  public ModelReply answer(ModelRequest request, Deadline deadline, TextListener listener) {
    var reply = answer(request, deadline);
    if (reply instanceof ModelReply.Says says) {
      WORD_END.splitAsStream(says.text()).forEach(listener::text);
    }
    return reply;
  }

  @Override
  public boolean rehearsal() {
    return true;
  }

  @Override
  public String describe() {
    return "The rehearsal script answers: no AI model, no key, no network.";
  }

  @Override
  public List<String> models() {
    return List.of();
  }

  @Override
  public Optional<String> adapted() {
    return Optional.empty();
  }

  private static Plan plan(PhraseTable table, Scene scene, Outcomes outcomes) {
    if (scene.heard().means(Meaning.CRISIS)) {
      return Plan.say(scene.resources());
    }
    if (scene.checkIn().isPresent()) {
      return Plan.say(scene.checkIn().get().text());
    }
    if (scene.heard().means(Meaning.UNWILLING)) {
      return Plan.say(Lines.FAIR_ENOUGH);
    }
    var plan =
        Phrasebook.plan(table, scene, outcomes)
            .orElseGet(() ->
                scene
                    .status()
                    .module()
                    .filter(module -> scene.status().writesPrompts())
                    .map(SCRIPTS::get)
                    .orElse(it -> Form.plan(it, Optional.ofNullable(table.otherwise())))
                    .plan(scene));
    return scene.heard().means(Meaning.ADVERSE_EVENT)
        ? plan.and(scene.tools().flagAdverseEvent())
        : plan;
  }

  private static ModelReply says(String text, long started) {
    return new ModelReply.Says(text, receipt("stop", started));
  }

  private static Receipt receipt(String finishReason, long started) {
    var took = Duration.ofNanos(System.nanoTime() - started).toMillis();
    return new Receipt(NAME, NAME, null, finishReason, 0, 0, took, 1);
  }
}
