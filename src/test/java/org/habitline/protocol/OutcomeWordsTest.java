package org.habitline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that say what came of a prompt are found, and others are left to the coach. */
final class OutcomeWordsTest {

  /** The words find at least this share of the texts that say what came of a prompt. */
  private static final double FOUND_AT_LEAST = 0.85;

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path home;

  private static String read(OutcomeWords words, JsonNode example) {
    var asked = example.path("asked").asBoolean();
    return words
        .meaning(example.path("text").asText())
        .filter(it -> asked || !it.isShort())
        .map(OutcomeWords.Meaning::outcome)
        .orElse("none");
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "es"})
  void theWordsFindMostLabelledTextsAndNameNoneWrongly(String language) throws IOException {
    var words = OutcomeWords.read(home);
    var wrong = new ArrayList<String>();
    var missed = new ArrayList<String>();
    var found = 0;
    for (var line :
        Files.readAllLines(Path.of("src/test/resources/outcomes", language + ".jsonl"))) {
      var example = JSON.readTree(line);
      var label = example.path("outcome").asText();
      var read = read(words, example);
      if (read.equals(label)) {
        found += label.equals("none") ? 0 : 1;
      } else if (read.equals("none")) {
        missed.add(example.path("text").asText());
      } else {
        wrong.add(example.path("text").asText() + " read as " + read);
      }
    }
    var share = (double) found / (found + missed.size());
    System.out.printf(
        "outcome words, %s: %d found, left to the coach %s, wrong %s, share found %.2f%n",
        language, found, missed, wrong, share);
    assertThat(wrong).isEmpty();
    assertThat(share).isGreaterThanOrEqualTo(FOUND_AT_LEAST);
  }

  @Test
  void aFileOfTheHomeFolderReplacesAPackagedOneAndMistakesNameTheirLine() throws IOException {
    var folder = Files.createDirectories(home.resolve("config/outcomes"));
    var file = folder.resolve("fr.yaml");
    Files.writeString(file, "clear:\n  done: [fait, Fait]\nshort:\n  dome: [oui]\n");
    assertThatThrownBy(() -> OutcomeWords.read(home))
        .isInstanceOf(BrokenStudy.class)
        .hasMessageContaining(
            "config/outcomes/fr.yaml: clear.done[1]: 'Fait' already means clear.done (line 2)")
        .hasMessageContaining(
            "short.dome: unknown key; expected one of done, not_done, partly (line 4)");

    Files.writeString(file, "clear:\n  done: [fait]\n  not_done: [hecho]\nshort: {done: [oui]}\n");
    assertThatThrownBy(() -> OutcomeWords.read(home))
        .hasMessageContaining("'hecho' means clear.not_done here, but clear.done in another");

    Files.writeString(file, "clear: {done: [fait]}\nshort: {done: [oui]}\n");
    assertThat(OutcomeWords.read(home).meaning("Fait !"))
        .hasValue(new OutcomeWords.Meaning("done", false));
    Files.writeString(folder.resolve("es.yaml"), "clear: {done: [listo]}\nshort: {}\n");
    assertThat(OutcomeWords.read(home).meaning("hecho")).isEmpty();
    assertThat(List.of("done", "did it"))
        .allMatch(it -> OutcomeWords.read(home).meaning(it).isPresent());
  }
}
