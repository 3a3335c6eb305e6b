package org.habitline.ops.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.habitline.ops.access.Role;

/**
 * Completes the API document. The build generates most of it from the controllers; this adds the
 * parts written by hand (health, the chat, JSON without a class), the responses common to all
 * operations, and the role each requires. It also corrects what the generator cannot know about our
 * JSON: absent fields are left out and never null.
 */
final class ApiDocument {

  private static final String BUILT = "/META-INF/swagger/habitline-0.1.yml";
  private static final String BY_HAND = "/api/by-hand.yml";
  private static final String ENVELOPE = "Reply_";
  private static final String SCHEMAS = "schemas";
  private static final String NULLABLE = "nullable";
  private static final String REQUIRED = "required";
  private static final String PROPERTIES = "properties";

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  /** The responses of every operation that requires a role. */
  private static final Map<String, String> REFUSALS =
      Map.of("401", "Unauthorized", "403", "Forbidden", "429", "TooManyRequests");

  private ApiDocument() {}

  /**
   * Returns the document as YAML.
   *
   * @param roles the lowest role of each operation that requires one, by method and path
   */
  static String yaml(Map<String, Role> roles) {
    try {
      var document = (ObjectNode) tree(BUILT);
      constantsAsWords(document);
      var byHand = tree(BY_HAND);
      add(byHand.path("paths"), document.withObject("/paths"));
      for (var kind : byHand.path("components").properties()) {
        add(kind.getValue(), document.withObject("/components").withObjectProperty(kind.getKey()));
      }
      for (var path : document.path("paths").properties()) {
        for (var operation : path.getValue().properties()) {
          complete(
              path.getKey(),
              (ObjectNode) operation.getValue(),
              Optional.ofNullable(roles.get(name(operation.getKey(), path.getKey()))));
        }
      }
      for (var schema : document.path("components").path(SCHEMAS).properties()) {
        tell(schema.getValue(), document);
        // Responses without a result are described by classes of their own.
        if (schema.getKey().startsWith(ENVELOPE)) {
          require((ObjectNode) schema.getValue(), "result");
        }
      }
      neverNull(document);
      return YAML.writeValueAsString(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the key of an operation: its method and path. */
  static String name(String method, String path) {
    return method.toUpperCase(Locale.ROOT) + " " + path;
  }

  private static JsonNode tree(String resource) throws IOException {
    try (var in = ApiDocument.class.getResourceAsStream(resource)) {
      return YAML.readTree(Objects.requireNonNull(in, resource));
    }
  }

  private static void add(JsonNode more, ObjectNode to) {
    for (var one : more.properties()) {
      if (to.has(one.getKey())) {
        throw new IllegalStateException(one.getKey() + " is described twice.");
      }
      to.set(one.getKey(), one.getValue().deepCopy());
    }
  }

  private static void complete(String path, ObjectNode operation, Optional<Role> role) {
    var responses = operation.withObjectProperty("responses");
    if (!path.startsWith("/webhooks/")) {
      for (var response : responses.properties()) {
        if (response.getKey().compareTo("400") >= 0 && !response.getValue().has("content")) {
          ((ObjectNode) response.getValue())
              .withObjectProperty("content")
              .withObjectProperty("application/json")
              .withObjectProperty("schema")
              .put("$ref", "#/components/schemas/Error");
        }
      }
    }
    role.ifPresent(least -> {
      operation.put("x-role", least.word());
      REFUSALS.forEach((status, refusal) -> {
        if (!responses.has(status)) {
          responses.putObject(status).put("$ref", "#/components/responses/" + refusal);
        }
      });
    });
  }

  /** Adds the discriminator field to each variant of a schema. */
  private static void tell(JsonNode schema, ObjectNode document) {
    var field = schema.path("discriminator").path("propertyName").asText();
    for (var form : schema.path("discriminator").path("mapping").properties()) {
      var told = (ObjectNode) document.at(form.getValue().asText().substring(1));
      told.withObjectProperty(PROPERTIES)
          .putObject(field)
          .put("type", "string")
          .putArray("enum")
          .add(form.getKey());
      require(told, field);
    }
  }

  /**
   * Converts enum constants to lower case, as in our JSON; the generator writes them as in Java.
   */
  private static void constantsAsWords(JsonNode node) {
    if (node.path("enum") instanceof ArrayNode constants) {
      for (var i = 0; i < constants.size(); i++) {
        constants.set(i, constants.path(i).asText().toLowerCase(Locale.ROOT));
      }
    }
    node.forEach(ApiDocument::constantsAsWords);
  }

  private static void require(ObjectNode schema, String field) {
    var required = schema.withArrayProperty(REQUIRED);
    if (!holds(required, field)) {
      required.add(field);
    }
    if (schema.path(PROPERTIES).path(field) instanceof ObjectNode value) {
      without(value);
    }
  }

  private static boolean holds(JsonNode array, String text) {
    return array.valueStream().anyMatch(it -> it.asText().equals(text));
  }

  /**
   * Removes {@code nullable} from fields that are not required: our JSON leaves them out instead.
   */
  private static void neverNull(JsonNode node) {
    for (var property : node.path(PROPERTIES).properties()) {
      var always = holds(node.path(REQUIRED), property.getKey());
      if (property.getValue() instanceof ObjectNode schema
          && !(always && schema.path(NULLABLE).asBoolean())) {
        without(schema);
      }
    }
    for (var child : node.properties()) {
      if (Set.of("schema", "items", "additionalProperties").contains(child.getKey())
          && child.getValue() instanceof ObjectNode schema) {
        without(schema);
      }
      neverNull(child.getValue());
    }
    if (node instanceof ArrayNode array) {
      array.forEach(ApiDocument::neverNull);
    }
  }

  private static void without(ObjectNode schema) {
    schema.remove(NULLABLE);
    if (schema.size() == 1 && schema.path("allOf").size() == 1) {
      var only = schema.remove("allOf").path(0);
      if (only instanceof ObjectNode reference) {
        schema.setAll(reference);
      }
    }
  }
}
