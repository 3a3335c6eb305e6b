package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ToolCatalogTest {

  private final ToolRun run = Habit.run(Habit.profile(Map.of()));

  @Test
  void aModuleIsOfferedItsToolsInTheOrderOfTheFlow() {
    assertThat(
            Habit.catalog()
                .offered(
                    Habit.flow(),
                    Habit.module("X", List.of("save_user_profile", "transition_state"))))
        .extracting(ToolSpec::name)
        .containsExactly("save_user_profile", "transition_state");
    assertThat(Habit.catalog().names()).containsExactlyInAnyOrderElementsOf(Habit.TOOLS);
  }

  @Test
  void anUnknownToolAndOneOfAnotherModuleAreRefusedWithTheValidNames() {
    var module = Habit.module("X", List.of("save_user_profile"));
    for (var name : List.of("launch_rocket", "transition_state", "")) {
      var outcome = Habit.catalog().call(run, module, Habit.call(name, "{}"));
      assertThat(outcome.failed()).isTrue();
      assertThat(outcome.result().path("valid_values"))
          .extracting(value -> value.asText())
          .containsExactly("save_user_profile");
    }
  }

  static Stream<String> unreadable() {
    return Stream.of(
        "",
        "null",
        "[]",
        "\"secret\"",
        "{secret",
        "{\"habit_domain\":\"secret\"} {}",
        "{\"habit_domain\":\"secret\",\"habit_domain\":\"other\"}",
        "{\"a\":".repeat(9) + "1" + "}".repeat(9),
        "[".repeat(60_000),
        "{\"habit_domain\":\"" + "secret".repeat(11_000) + "\"}",
        "{\"habit_domain\":" + "9".repeat(5_000) + "}");
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void argumentsThatAreNotOnePlainObjectAreRefusedWithoutRepeatingThem(String arguments) {
    var outcome =
        Habit.catalog()
            .call(run, Habit.module("X", Habit.TOOLS), Habit.call("save_user_profile", arguments));
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.result().path("field").asText()).isEqualTo("arguments");
    assertThat(outcome.result().toString()).doesNotContain("secret");
  }

  @Test
  void aToolThatThrowsChangedNothingAndSaysSo() {
    var catalog = new ToolCatalog(List.of(new Throwing()));
    var outcome =
        catalog.call(run, Habit.module("X", List.of("throwing")), Habit.call("throwing", "{}"));
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.result().toString())
        .contains("nothing was changed")
        .doesNotContain("secret");
  }

  @Test
  void twoToolsOfOneNameStopTheStart() {
    assertThatThrownBy(() -> new ToolCatalog(List.of(new Throwing(), new Throwing())))
        .hasMessageContaining("two tools are named throwing");
  }

  @Test
  void anOutcomeThatIsNoSuccessAsksForNothing() {
    var error = ToolOutcome.error("no").result();
    assertThatThrownBy(() -> new ToolOutcome(error, List.of(new Effect.StoreHabitPrompt("x"))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static final class Throwing implements Tool {

    @Override
    public String name() {
      return "throwing";
    }

    @Override
    public ToolSpec spec(Flow flow, FlowModule module) {
      return new ToolSpec(name(), "Throws.", JsonNodeFactory.instance.objectNode());
    }

    @Override
    public ToolOutcome call(ToolRun run, ObjectNode arguments) {
      throw new IllegalStateException("secret");
    }
  }
}
