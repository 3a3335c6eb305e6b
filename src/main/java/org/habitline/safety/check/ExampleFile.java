package org.habitline.safety.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.habitline.safety.check.Example.Label;

/**
 * Reads labelled examples from a JSON Lines file: one object a line with {@code id}, {@code lang},
 * {@code text}, {@code label} and {@code kind}. Blank lines are ignored.
 *
 * @param mistakes one sentence for each line that cannot be used, with its number and without its
 *     text
 */
public record ExampleFile(List<Example> examples, List<String> mistakes) {

  private static final List<String> KEYS = List.of("id", "lang", "text", "label", "kind");

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public ExampleFile {
    examples = List.copyOf(examples);
    mistakes = List.copyOf(mistakes);
  }

  /**
   * Reads a file in UTF-8.
   *
   * @throws IOException if it cannot be read
   */
  public static ExampleFile read(Path file) throws IOException {
    var examples = new ArrayList<Example>();
    var mistakes = new ArrayList<String>();
    var ids = new HashSet<String>();
    int number = 0;
    for (var line : Files.readAllLines(file)) {
      number++;
      if (!line.isBlank()) {
        example(line, number, ids, examples, mistakes);
      }
    }
    return new ExampleFile(examples, mistakes);
  }

  private static void example(
      String line, int number, Set<String> ids, List<Example> examples, List<String> mistakes) {
    var place = "line " + number + ": ";
    JsonNode object;
    try {
      object = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      mistakes.add(place + "expected a JSON object");
      return;
    }
    if (!object.isObject()) {
      mistakes.add(place + "expected a JSON object");
      return;
    }
    var missing =
        KEYS.stream()
            .filter(key -> !object.path(key).isTextual() || object.path(key).asText().isBlank())
            .toList();
    if (!missing.isEmpty()) {
      mistakes.add(place + "expected a text for " + String.join(", ", missing));
      return;
    }
    var label = Label.of(object.path("label").asText());
    if (label.isEmpty()) {
      mistakes.add(place + "label: expected crisis, watch or none");
      return;
    }
    var id = object.path("id").asText();
    if (!ids.add(id)) {
      mistakes.add(place + "id: another line has the same id; expected each id once");
      return;
    }
    examples.add(
        new Example(
            id,
            object.path("lang").asText(),
            object.path("text").asText(),
            label.get(),
            object.path("kind").asText()));
  }
}
