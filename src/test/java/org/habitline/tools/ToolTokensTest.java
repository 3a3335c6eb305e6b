package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.ToolSpec;
import org.junit.jupiter.api.Test;

/**
 * What the tools of the habit flow cost in every request: the tokens of name, description and
 * schema in the encoding {@code o200k_base}, without what servers add.
 *
 * <p>Before modules named the fields they offer, both modules were at 1,428 tokens:
 * transition_state 140, save_user_profile 696, scheduler 359, generate_habit_prompt 130,
 * flag_for_staff 103. With the same arguments, INTAKE came to 705 (78, 241, 188, 101, 97) and
 * FEEDBACK to 1,029 (112, 531, 188, 101, 97). Since then timezone_from, coping_plan and confidence
 * came in, 115 tokens, ask_intensity, 34 tokens, and how to cancel a move, 7 tokens. Other tools
 * are not counted.
 */
class ToolTokensTest {

  private static final int BEFORE = 1_428;

  /**
   * The arguments that came later: timezone_from, coping_plan, confidence, ask_intensity and words
   * on a cancelled move.
   */
  private static final int NEW_ARGUMENTS = 115 + 35 + 7;

  private static final List<String> COUNTED =
      List.of(
          "transition_state",
          "save_user_profile",
          "scheduler",
          "generate_habit_prompt",
          "flag_for_staff");

  private static final Encoding TOKENS =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  private static int tokens(String module) {
    var tools = Habit.catalog();
    var flow =
        new FlowCatalog(
                Path.of("").toAbsolutePath(), "habit", tools, Optional.empty(), text -> false)
            .defaultFlow();
    var offered = tools.offered(flow, flow.module(module).orElseThrow());
    assertThat(offered).extracting(ToolSpec::name).containsAll(COUNTED);
    return offered.stream()
        .filter(tool -> COUNTED.contains(tool.name()))
        .mapToInt(tool ->
            TOKENS.countTokensOrdinary(
                tool.name() + ' ' + tool.description() + ' ' + tool.schema()))
        .sum();
  }

  @Test
  void theToolsOfTheIntakeCostHalfOfWhatTheyDid() {
    assertThat(tokens("INTAKE")).isLessThanOrEqualTo(BEFORE / 2 + NEW_ARGUMENTS);
  }

  private static int promptTokens(String file) {
    var flows =
        new FlowCatalog(
            Path.of("").toAbsolutePath(),
            "habit",
            Habit.catalog(),
            Optional.empty(),
            text -> false);
    return TOKENS.countTokensOrdinary(flows.prompt(flows.defaultFlow(), file).text());
  }

  @Test
  void theInstructionsStayAsShortAsTheyWere() {
    assertThat(promptTokens("intake_bot_system.txt")).isLessThanOrEqualTo(1_900);
    assertThat(promptTokens("feedback_tracker_system.txt")).isLessThanOrEqualTo(1_790);
  }

  @Test
  void theToolsOfTheFeedbackCostThreeQuartersOfWhatTheyDid() {
    assertThat(tokens("FEEDBACK")).isLessThanOrEqualTo(BEFORE * 3 / 4 + NEW_ARGUMENTS);
  }
}
