package org.habitline.conversation.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.Flow;
import org.habitline.flows.Prompt;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ToolCall;
import org.habitline.safety.gates.Candidate;
import org.habitline.safety.gates.Done;
import org.habitline.safety.gates.ReplyGates;
import org.habitline.safety.gates.Shown;
import org.habitline.safety.gates.Verdict;
import org.habitline.tools.Profile;

/**
 * The gates of one turn. All gates together cost at most one retry in a turn. Used by the turn's
 * own thread only.
 */
final class TurnGates {

  private final ReplyGates gates;
  private final Flow flow;
  private final String region;
  private boolean retried;

  /**
   * Creates the gates of a turn.
   *
   * @param region the country of the participant's phone number, as in {@link Shown#region}
   */
  TurnGates(ReplyGates gates, Flow flow, String region) {
    this.gates = gates;
    this.flow = flow;
    this.region = region;
  }

  /** Returns whether any gate is in use, so that no text may be seen before its verdict. */
  boolean areOn() {
    return gates.areOn();
  }

  /**
   * Returns what a model was shown in a request.
   *
   * @param prompt the instructions
   * @param known what the study knows of the participant, such as the values of the profile
   */
  Shown shown(List<ModelMessage> request, Prompt prompt, List<String> known) {
    var sources = new ArrayList<String>();
    var own = new ArrayList<>(known);
    for (var message : request) {
      switch (message) {
        case ModelMessage.SystemText(var content) -> sources.add(content);
        case ModelMessage.UserText(var content) -> {
          sources.add(content);
          own.add(content);
        }
        case ModelMessage.AssistantText assistant -> {}
        case ModelMessage.ToolResult result -> {}
      }
    }
    return new Shown(
        sources, List.of(prompt.text()), flow.ownTexts(), own, region, flow.languages().own());
  }

  /**
   * Returns what counts as shown for a text that the turn's model lets a tool write: what the
   * turn's model was shown and the tool's own instructions, not the notes that the model wrote for
   * it.
   */
  static Shown generated(Shown shown, Prompt prompt) {
    return new Shown(
        Stream.of(shown.sources(), shown.said(), List.of(prompt.text()))
            .flatMap(List::stream)
            .toList(),
        List.of(prompt.text()),
        shown.literal(),
        shown.said(),
        shown.region(),
        shown.language());
  }

  /**
   * Returns a model call with the decision about its text. A decision that is recorded already
   * stays.
   *
   * @param mayRetry whether a model call is left for a retry
   */
  Iteration judged(Iteration iteration, String text, Shown shown, Done done, boolean mayRetry) {
    if (!gates.areOn()) {
      return iteration;
    }
    var recorded = Ruling.of(iteration);
    if (recorded.isPresent()) {
      retried |= recorded.get() instanceof Ruling.Again;
      return iteration;
    }
    var ruling = ruling(gates.check(new Candidate(text, shown, done)), mayRetry && !retried);
    retried |= ruling instanceof Ruling.Again;
    return ruling.recordedIn(iteration, gates.version());
  }

  /**
   * Returns why a text that a tool sends word for word may not be sent, or empty if it may. There
   * is no retry.
   */
  Optional<String> withholds(String text, Shown shown, Done done) {
    return gates.areOn()
            && gates.check(new Candidate(text, shown, done)) instanceof Verdict.Blocked blocked
        ? Optional.of(new Ruling.Withheld(blocked.gate().word()).reason())
        : Optional.empty();
  }

  /**
   * Returns the first contact in a tool call that nobody gave the model, in words: what a tool
   * keeps would count as known later.
   */
  Optional<String> inventedContact(ToolCall call, Shown shown, Done done) {
    var words = TurnJson.canonical(call.arguments()).replace('"', ' ');
    return gates.inventedContact(new Candidate(words, shown, done));
  }

  private static Ruling ruling(Verdict verdict, boolean mayRetry) {
    return switch (verdict) {
      case Verdict.Pass pass -> new Ruling.Passed();
      case Verdict.Blocked(var gate, var note) ->
          mayRetry ? new Ruling.Again(gate.word(), note) : new Ruling.Withheld(gate.word());
    };
  }

  /** Returns the values of a profile as texts. */
  static List<String> texts(Profile profile) {
    return profile.fields().values().stream().flatMap(TurnGates::texts).toList();
  }

  private static Stream<String> texts(JsonNode value) {
    return value.isValueNode()
        ? Stream.of(value.asText())
        : StreamSupport.stream(value.spliterator(), false).flatMap(TurnGates::texts);
  }
}
