package org.habitline.study.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * The report of a rehearsal, as {@code rehearse --json} wrote it. Its participants are simulated.
 *
 * @param rows its numbers and words, in the file's order
 * @param counts its tables, such as the outcomes of turns
 */
public record RehearsalReport(
    String json, List<Row> rows, List<Counts> counts, List<String> anomalies) {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String ANOMALIES = "anomalies";
  private static final String EPISODES = "episodes";

  /** A name and its value. */
  public record Row(String name, String value) {}

  /** A table of names and counts. */
  public record Counts(String title, List<Row> rows) {}

  /**
   * Reads a file, or returns empty if it is no report of a rehearsal.
   *
   * @throws IOException if the file cannot be read
   */
  static Optional<RehearsalReport> read(Path file) throws IOException {
    var bytes = Files.readAllBytes(file);
    JsonNode root;
    try {
      root = JSON.readTree(bytes);
    } catch (IOException e) {
      return Optional.empty();
    }
    if (root == null || !root.path("flow").isTextual() || !root.path(ANOMALIES).isArray()) {
      return Optional.empty();
    }
    var rows = new ArrayList<Row>();
    var counts = new ArrayList<Counts>();
    for (var field : root.properties()) {
      var value = field.getValue();
      if (value.isObject()) {
        counts.add(new Counts(words(field.getKey()), rows(value)));
      } else if (value.isValueNode()) {
        rows.add(new Row(words(field.getKey()), value.asText()));
      }
    }
    if (!root.path(EPISODES).isEmpty()) {
      rows.add(new Row("safety episodes played", String.valueOf(root.path(EPISODES).size())));
    }
    return Optional.of(
        new RehearsalReport(
            JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root),
            rows,
            counts.stream().filter(table -> !table.rows().isEmpty()).toList(),
            StreamSupport.stream(root.path(ANOMALIES).spliterator(), false)
                .map(JsonNode::asText)
                .toList()));
  }

  private static List<Row> rows(JsonNode object) {
    return object.properties().stream()
        .map(field -> new Row(field.getKey(), field.getValue().asText()))
        .toList();
  }

  private static String words(String key) {
    return key.replace('_', ' ');
  }
}
