package org.habitline.whole;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.RestLine;

/**
 * The document of the API as a line serves it. Whoever tests every operation takes the operations
 * from here, so that a new one cannot be forgotten.
 */
final class ApiDocument {

  /** Where a line serves it. */
  static final String ADDRESS = "/swagger/habitline-0.1.yml";

  private static final List<String> METHODS =
      List.of("get", "put", "post", "delete", "patch", "head", "options");
  private static final String SOCKET = "x-websocket";
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

  private final JsonNode root;
  private final List<Operation> operations = new ArrayList<>();
  private final Map<String, Optional<JsonSchema>> schemas = new HashMap<>();

  private ApiDocument(JsonNode root) {
    this.root = root;
    for (var path : root.path("paths").properties()) {
      for (var method : METHODS) {
        var described = path.getValue().path(method);
        if (!described.isMissingNode() && !described.has(SOCKET)) {
          operations.add(new Operation(method.toUpperCase(Locale.ROOT), path.getKey(), described));
        }
      }
    }
  }

  static ApiDocument of(RestLine line) {
    try {
      return new ApiDocument(
          new YAMLMapper().readTree(line.sendAs("", "GET", ADDRESS, "").response().body()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One operation of the document. */
  record Operation(String method, String path, JsonNode described) {

    String name() {
      return method + " " + path;
    }

    /** What it answers itself, besides the refusals that many operations share. */
    Set<Integer> statuses() {
      return described.path("responses").properties().stream()
          .filter(response -> !response.getValue().has("$ref"))
          .map(response -> Integer.valueOf(response.getKey()))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Parameters that stand in a place: path, query or header. */
    List<JsonNode> parameters(String place) {
      var found = new ArrayList<JsonNode>();
      for (var parameter : described.path("parameters")) {
        if (parameter.path("in").asText().equals(place)) {
          found.add(parameter);
        }
      }
      return found;
    }

    /** The content type of the body, or empty if there is no body. */
    Optional<String> consumes() {
      var types = described.path("requestBody").path("content").fieldNames();
      return types.hasNext() ? Optional.of(types.next()) : Optional.empty();
    }

    boolean takesJson() {
      return consumes().filter("application/json"::equals).isPresent();
    }

    boolean needsBody() {
      return described.path("requestBody").path("required").asBoolean();
    }

    JsonNode body() {
      return consumes()
          .map(type -> described.path("requestBody").path("content").path(type).path("schema"))
          .orElseGet(JSON::missingNode);
    }

    JsonNode content(int status) {
      return response(status).path("content");
    }

    private JsonNode response(int status) {
      return described.path("responses").path(String.valueOf(status));
    }

    /** Whether anything of a request can be wrong besides what it names. */
    boolean readsSomething() {
      return consumes().isPresent() || !parameters("query").isEmpty();
    }

    boolean streams() {
      return statuses().stream().anyMatch(status -> content(status).has("text/event-stream"));
    }

    /** Called by a provider, which reads no JSON. */
    boolean isWebhook() {
      return path.startsWith("/webhooks/");
    }

    /** The address with a value in the place of each parameter. */
    String at(java.util.function.Function<JsonNode, String> value) {
      var address = path;
      for (var parameter : parameters("path")) {
        address =
            address.replace("{" + parameter.path("name").asText() + "}", value.apply(parameter));
      }
      return address;
    }

    private boolean matches(String otherMethod, String rawPath) {
      return method.equals(otherMethod) && template().matcher(rawPath).matches();
    }

    private Pattern template() {
      return Pattern.compile(Pattern.quote(path).replaceAll("\\{[^}]+}", "\\\\E[^/]+\\\\Q"));
    }
  }

  List<Operation> operations() {
    return List.copyOf(operations);
  }

  boolean has(String name) {
    return operations.stream().anyMatch(operation -> operation.name().equals(name));
  }

  JsonNode root() {
    return root;
  }

  /** The operation that a request meets; where two match, the one that names more of the path. */
  Optional<Operation> operation(String method, String rawPath) {
    return operations.stream()
        .filter(operation -> operation.matches(method, rawPath))
        .min(Comparator.comparingInt(operation -> operation.parameters("path").size()));
  }

  /** Follows a reference, and looks through the wrapper that says a thing may be absent. */
  JsonNode resolved(JsonNode schema) {
    var there = schema;
    while (there.has("$ref") || there.path("allOf").size() == 1) {
      there =
          there.has("$ref")
              ? root.at(there.path("$ref").asText().substring(1))
              : there.path("allOf").path(0);
    }
    return there;
  }

  /** What an answer must look like, or empty if it has no JSON. */
  Optional<JsonSchema> answer(Operation operation, int status) {
    return schemas.computeIfAbsent(
        operation.name() + " " + status,
        key ->
            Optional.of(
                    resolved(operation.response(status))
                        .path("content")
                        .path("application/json")
                        .path("schema"))
                .filter(JsonNode::isObject)
                .map(this::compiled));
  }

  private JsonSchema compiled(JsonNode schema) {
    ObjectNode whole = JSON.objectNode();
    whole.set("allOf", JSON.arrayNode().add(strict(schema)));
    whole.set("components", strict(root.path("components")));
    return SCHEMAS.getSchema(
        whole, SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build());
  }

  /** What something of the document must look like, by its name there. */
  JsonSchema component(String name) {
    return compiled(JSON.objectNode().put("$ref", "#/components/schemas/" + name));
  }

  /** The operation that opens a WebSocket. */
  JsonNode socket(String path) {
    return root.path("paths").path(path).path("get").path(SOCKET);
  }

  /**
   * The schema of what we say ourselves: there is no field that is not described, and null is only
   * what the document says can be.
   */
  private static JsonNode strict(JsonNode schema) {
    if (schema.isArray()) {
      var array = JSON.arrayNode();
      schema.forEach(element -> array.add(strict(element)));
      return array;
    }
    if (!schema.isObject()) {
      return schema;
    }
    if (schema.path("nullable").isBoolean() && schema.path("nullable").booleanValue()) {
      var known = ((ObjectNode) schema.deepCopy()).without("nullable");
      var either = JSON.objectNode();
      either.putArray("anyOf").add(strict(known)).addObject().put("type", "null");
      return either;
    }
    var object = JSON.objectNode();
    schema
        .properties()
        .forEach(field -> {
          // Whichever form it is, that one says so itself.
          if (!field.getKey().equals("discriminator")) {
            object.set(field.getKey(), strict(field.getValue()));
          }
        });
    if (schema.path("type").asText().equals("object")
        && schema.path("properties").isObject()
        && !schema.has("additionalProperties")) {
      object.put("additionalProperties", false);
    }
    return object;
  }
}
