package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
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

  @Test
  void beforeAToolRunsOneDebugLineNamesItsArgumentsAndTheirSizes() {
    var logger = (Logger) LoggerFactory.getLogger(CallLog.class);
    var level = logger.getLevel();
    var lines = new ListAppender<ILoggingEvent>();
    var linesThen = new ArrayList<Integer>();
    var tool =
        new Tool() {
          @Override
          public String name() {
            return "note";
          }

          @Override
          public ToolSpec spec(Flow flow, FlowModule module) {
            return new ToolSpec(
                name(),
                "Notes.",
                new StrictSchema().text("title", "What.", 50).wholeNumber("day", "When.").done());
          }

          @Override
          public ToolOutcome call(ToolRun ignored, ObjectNode arguments) {
            linesThen.add(lines.list.size());
            return ToolOutcome.success();
          }
        };
    var here = Thread.currentThread().getName();
    lines.addFilter(
        new Filter<>() {
          @Override
          public FilterReply decide(ILoggingEvent event) {
            return event.getThreadName().equals(here) ? FilterReply.NEUTRAL : FilterReply.DENY;
          }
        });
    logger.setLevel(Level.DEBUG);
    lines.start();
    logger.addAppender(lines);
    try {
      new ToolCatalog(List.of(tool))
          .call(
              run,
              Habit.module("X", List.of("note")),
              Habit.call(
                  "note", "{\"title\":\"secret\",\"day\":12,\"secret habit\":[\"secret\"]}"));
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(level);
    }
    assertThat(linesThen).as("the line comes first").containsExactly(1);
    assertThat(lines.list)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.getLevel()).isEqualTo(Level.DEBUG);
          assertThat(it.getFormattedMessage())
              .isEqualTo(
                  "tool note runs for %s with title 6, day 2, (unknown name) 10"
                      .formatted(run.participant().id()));
        });
  }
}
