package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as somebody types it. */
final class CheckSafetyCommandTest {

  @TempDir Path home;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return CheckSafetyCommand.run(
        List.of(arguments),
        home,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private int check(String lines) throws IOException {
    var file = Files.writeString(home.resolve("examples.jsonl"), lines);
    return run("--examples", file.toString());
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static String line(String id, String text, String label, String kind) {
    return "{\"id\": \"%s\", \"lang\": \"en\", \"text\": \"%s\", \"label\": \"%s\", \"kind\": \"%s\"}\n"
        .formatted(id, text, label, kind);
  }

  @Test
  void rightVerdictsEndWithZero() throws IOException {
    assertThat(
            check(
                line("a", "i want to die", "crisis", "suicidal_explicit")
                    + "\n"
                    + line("b", "done, thanks", "none", "ordinary")
                    + line("c", "everything feels pointless", "watch", "low_mood")))
        .isZero();
    assertThat(out().lines())
        .startsWith(
            "{\"id\":\"a\",\"verdict\":\"crisis\",\"kind\":\"suicide_or_self_harm\"}",
            "{\"id\":\"b\",\"verdict\":\"none\",\"kind\":null}",
            "{\"id\":\"c\",\"verdict\":\"concern\",\"kind\":\"suicide_or_self_harm\"}");
    assertThat(out())
        .contains(
            "Wilson", "en: 3 examples", "1 of 1 = 1.000 (0.207 to 1.000)", "no wrong verdict");
    assertThat(err()).isEmpty();
  }

  @Test
  void aWrongVerdictIsNamedByIdAndKindWithoutItsText() throws IOException {
    assertThat(
            check(
                line("a", "zanzibar", "crisis", "suicidal_indirect")
                    + line("b", "i want to die", "none", "idiom")))
        .isEqualTo(1);
    assertThat(out())
        .contains("wrong verdicts")
        .containsPattern("a +suicidal_indirect +label crisis, verdict none")
        .containsPattern("b +idiom +label none, verdict crisis \\(en/suicide-wish\\)");
    assertThat(out() + err()).doesNotContain("zanzibar", "want to die");
  }

  @Test
  void badLinesAreNamedByTheirNumberWithoutTheirText() throws IOException {
    assertThat(
            check(
                line("a", "zanzibar", "crisis", "x")
                    + "zanzibar\n"
                    + "[]\n"
                    + "{\"id\": \"b\", \"lang\": \"en\", \"text\": \"zanzibar\", \"kind\": 3}\n"
                    + line("c", "zanzibar", "urgent", "x")
                    + line("a", "zanzibar", "none", "x")))
        .isEqualTo(2);
    assertThat(out()).isEmpty();
    assertThat(err().lines().map(line -> line.substring(line.indexOf("line "))))
        .containsExactly(
            "line 2: expected a JSON object",
            "line 3: expected a JSON object",
            "line 4: expected a text for label, kind",
            "line 5: label: expected crisis, watch or none",
            "line 6: id: another line has the same id; expected each id once");
    assertThat(err()).doesNotContain("zanzibar");
  }

  @Test
  void aFileWithoutExamplesIsRefused() throws IOException {
    assertThat(check("\n")).isEqualTo(2);
    assertThat(err()).contains("has no examples");
  }

  @Test
  void wrongArgumentsAndAMissingFileEndWithTwo() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("--examples")).isEqualTo(2);
    assertThat(run("--file", "x")).isEqualTo(2);
    assertThat(err()).hasLineCount(3).contains("--examples", "check-safety --help");
    assertThat(run("--examples", home.resolve("none.jsonl").toString())).isEqualTo(2);
    assertThat(err()).contains("cannot be read");
    assertThat(out()).isEmpty();
  }

  @Test
  void rulesThatCannotBeUsedEndWithOneAndAreNamed() throws IOException {
    var folder = Files.createDirectories(home.resolve("config").resolve("safety").resolve("en"));
    Files.writeString(folder.resolve("own.yaml"), "rulez: {}\n");
    assertThat(check(line("a", "done", "none", "ordinary"))).isEqualTo(1);
    assertThat(err()).startsWith("config/safety/en/own.yaml: rulez: unknown key; expected one of ");
  }

  @Test
  void aConcernIsNoWrongVerdictAndOneExampleIsOne() throws IOException {
    assertThat(check(line("a", "everything feels pointless", "none", "low_mood"))).isZero();
    assertThat(out())
        .contains("\"verdict\":\"concern\"", "en: 1 example\n", "no wrong verdict")
        .contains("A verdict is wrong if a crisis text is no hit");
    assertThat(check(line("a", "done, thanks", "watch", "low_mood"))).isZero();
    assertThat(check(line("a", "i want to die", "watch", "low_mood"))).isEqualTo(1);
  }

  @Test
  void helpSaysWhatTheFileContains() {
    assertThat(run("--help")).isZero();
    assertThat(out())
        .contains("--examples=<file>", "crisis, watch or none", "A verdict is wrong if");
  }
}
