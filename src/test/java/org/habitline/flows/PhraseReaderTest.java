package org.habitline.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PhraseReaderTest {

  private static final String YAML =
      """
      phrases:
        noted:
          says: ["note {{what}}", "remember {{what}}"]
          calls:
            - save_user_profile: {anchor: "{{what}}"}
          reply: "Noted: {{what}}."
          examples: ["please note after lunch"]
      otherwise: Say "note" and what.
      """;

  @TempDir Path folder;

  private FlowHome home;

  @BeforeEach
  void write() throws IOException {
    home = FlowHome.in(folder);
  }

  private PhraseTable read(String yaml) throws IOException {
    home.phrases("small", yaml);
    return home.open().phrases("small");
  }

  @Test
  void aTextIsFoundHoweverItIsTyped() throws IOException {
    var phrase = read(YAML).phrases().getFirst();
    for (var text :
        new String[] {
          "note after lunch", "  NOTE   after\nlunch! ", "please note after lunch, please"
        }) {
      assertThat(phrase.in(text)).as(text).contains(Map.of("what", "after lunch"));
    }
    assertThat(phrase.in("a note after lunch")).isEmpty();
    assertThat(phrase.in("note " + "x".repeat(300))).as("too long to compare").isEmpty();
  }

  @Test
  void everyMistakeIsNamedWithItsPlace() {
    var prefix = "config/flows/small/rehearsal.yaml: ";
    Map.of(
            "",
            "the file is empty; expected keys with values",
            YAML.replace("  noted:\n    says", "  noted:\n    said"),
            "phrases.noted.said: unknown key; expected one of calls, examples, reply, says"
                + " (line 3)",
            YAML.replace("save_user_profile", "save_profile"),
            "phrases.noted.calls[0]: no module of this flow has the tool 'save_profile';"
                + " expected one of generate_habit_prompt, save_user_profile, transition_state"
                + " (line 5)",
            YAML.replace("\"note {{what}}\"", "\"note {{What}}\""),
            "phrases.noted.says[0]: expected placeholders such as {{title}}, of lower-case"
                + " letters and digits, each once; found {{What}} (line 3)",
            YAML.replace("\"note {{what}}\"", "\"{{a}} {{what}}\""),
            "phrases.noted.says[0]: expected at most two placeholders, with a word between them"
                + " (line 3)",
            YAML.replace("\"note {{what}}\"", "\"{{a}} or {{b}} or {{what}}\""),
            "phrases.noted.says[0]: expected at most two placeholders, with a word between them"
                + " (line 3)",
            YAML.replace("please note after lunch", "hello"),
            "phrases.noted.examples[0]: expected a text that fits one of says (line 7)",
            YAML.replace("anchor: \"{{what}}\"", "anchor: \"{{when}}\""),
            "phrases.noted.calls[0].anchor: unknown placeholder {{when}};"
                + " expected {{participant}} or one that every text of says has (line 5)")
        .forEach((yaml, message) ->
            assertThatThrownBy(() -> read(yaml))
                .as(message)
                .isInstanceOfSatisfying(
                    BrokenFlow.class,
                    broken -> assertThat(broken.mistakes()).contains(prefix + message)));
  }

  @Test
  void aPhraseCallsNoToolOfAnotherServer() throws IOException {
    home.flow(
        "small",
        FlowHome.YAML.replace("tools: []", "tools: [clinic.book]")
            + "mcp_servers:\n  clinic: {url: 'https://clinic.example', tools: [book]}\n");
    assertThatThrownBy(() -> read(YAML.replace("save_user_profile", "clinic_book")))
        .hasMessageContaining("no module of this flow has the tool 'clinic_book'");
  }
}
