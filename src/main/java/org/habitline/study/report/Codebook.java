package org.habitline.study.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The codebook of the de-identified export, for readers. */
public record Codebook(String description, List<Table> tables) {

  private static final JsonMapper JSON = new JsonMapper();

  /** A table of the export. */
  public record Table(String name, String description, List<Field> fields) {}

  /**
   * A column.
   *
   * @param values the words that it accepts, or which table it refers to
   */
  public record Field(String name, String type, String unit, String description, String values) {}

  /** Reads the file {@code datapackage.json}. */
  static Codebook of(byte[] dataPackage) {
    try {
      var root = JSON.readTree(dataPackage);
      return new Codebook(
          root.path("description").asText(),
          items(root.path("resources")).stream().map(Codebook::table).toList());
    } catch (IOException e) {
      throw new UncheckedIOException("The codebook is no JSON.", e);
    }
  }

  private static Table table(JsonNode resource) {
    var schema = resource.path("schema");
    return new Table(
        resource.path("name").asText(),
        resource.path("description").asText(),
        items(schema.path("fields")).stream().map(field -> field(field, schema)).toList());
  }

  private static Field field(JsonNode field, JsonNode schema) {
    var name = field.path("name").asText();
    return new Field(
        name,
        field.path("type").asText(),
        field.path("unit").asText(),
        field.path("description").asText(),
        values(name, field, schema));
  }

  private static String values(String name, JsonNode field, JsonNode schema) {
    var said = new ArrayList<String>();
    var words =
        items(field.at("/constraints/enum")).stream()
            .map(JsonNode::asText)
            .collect(Collectors.joining(", "));
    if (!words.isEmpty()) {
      said.add(words);
    }
    items(schema.path("foreignKeys")).stream()
        .filter(key -> key.path("fields").asText().equals(name))
        .forEach(key -> said.add("refers to " + key.at("/reference/resource").asText()));
    if (schema.path("primaryKey").asText().equals(name)) {
      said.add("key of the table");
    }
    return String.join("; ", said);
  }

  private static List<JsonNode> items(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }
}
