package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/**
 * Shows staff what no rule can see, such as an adverse event. It stores no words: staff read the
 * conversation.
 */
@Singleton
final class FlagForStaff implements Tool {

  private static final String KIND = "kind";
  private static final String URGENCY = "urgency";

  private static final List<String> KINDS =
      Arrays.stream(FlagKind.values()).map(FlagKind::word).toList();
  private static final List<String> URGENCIES =
      Arrays.stream(FlagUrgency.values()).map(FlagUrgency::word).toList();

  @Override
  public String name() {
    return "flag_for_staff";
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Asks staff to read this conversation. Once for each matter.",
        new StrictSchema()
            .choice(KIND, "What it is about.", KINDS)
            .choice(URGENCY, "now: at any hour, always for danger.", URGENCIES)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(KIND, URGENCY), List.of());
    var kind = arguments.requiredChoice(KIND, KINDS).map(FlagForStaff::kind);
    var urgency = arguments.requiredChoice(URGENCY, URGENCIES).map(FlagForStaff::urgency);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    if (kind.orElseThrow() == FlagKind.DANGER && urgency.orElseThrow() == FlagUrgency.TODAY) {
      return ToolOutcome.error(
          URGENCY, "Danger is always urgent.", List.of(FlagUrgency.NOW.word()));
    }
    var flagged =
        ToolOutcome.success(new Effect.FlagForStaff(kind.orElseThrow(), urgency.orElseThrow()));
    flagged
        .result()
        .put(
            "message",
            "Staff are shown the conversation after this reply. Do not promise that somebody"
                + " answers, or when.");
    return flagged;
  }

  private static FlagKind kind(String word) {
    return Arrays.stream(FlagKind.values())
        .filter(it -> it.word().equals(word))
        .findFirst()
        .orElseThrow();
  }

  private static FlagUrgency urgency(String word) {
    return Arrays.stream(FlagUrgency.values())
        .filter(it -> it.word().equals(word))
        .findFirst()
        .orElseThrow();
  }
}
