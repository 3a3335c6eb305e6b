package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What may stand behind the jar. */
final class StartArgumentsTest {

  private static final List<String> COMMANDS = List.of("rehearse", "move-to-postgresql");

  private static StartArguments read(String... arguments) {
    return StartArguments.read(List.of(arguments), COMMANDS);
  }

  @Test
  void nothingStartsTheLine() {
    assertThat(read()).isEqualTo(new StartArguments.Line(List.of()));
  }

  @Test
  void everySettingMayBeAnOption() {
    for (var setting : Setting.values()) {
      var option = "--" + setting.key() + "=a value";
      assertThat(read(option)).isEqualTo(new StartArguments.Line(List.of(option)));
    }
    var line =
        (StartArguments.Line)
            read("--habitline.home=a", "--habitline.port=1", "--habitline.home=b=c");
    assertThat(line.value("habitline.home")).hasValue("b=c");
    assertThat(line.value("habitline.host")).isEmpty();
  }

  @Test
  void aCommandHasItsOwnArguments() {
    assertThat(read("rehearse", "--days", "3"))
        .isEqualTo(new StartArguments.Command("rehearse", List.of("--days", "3")));
  }

  @Test
  void helpListsCommandsAndSettings() {
    for (var asked : List.of("--help", "-h")) {
      assertThat(((StartArguments.Help) read(asked)).text())
          .contains("rehearse", "move-to-postgresql", "--habitline.port", "HABITLINE_PORT");
    }
  }

  @Test
  void anythingElseIsRefusedWithoutItsValue() {
    for (var wrong :
        List.of(
            "start",
            "rehears",
            "--days",
            "-habitline.port=1",
            "--habitline.port",
            "--twilio.auth-tokn=secret",
            "--habitline.port 1",
            "")) {
      assertThat(((StartArguments.Unknown) read("--habitline.port=1", wrong)).sentence())
          .contains("'" + wrong.replace("=secret", "").replace("port=1", "port") + "'")
          .contains("rehearse, move-to-postgresql", "--help", "--KEY=VALUE")
          .doesNotContain("secret");
    }
  }
}
