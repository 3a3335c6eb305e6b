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
import java.nio.file.Files;
import java.nio.file.Path;
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

/**
 * The document of the API as the build wrote it. Whoever tests every operation takes the operations
 * from here, so that a new one cannot be forgotten.
 */
final class ApiDocument {

  private static final Path FOLDER = Path.of("target", "classes", "META-INF", "swagger");
  private static final List<String> METHODS =
      List.of("get", "put", "post", "delete", "patch", "head", "options");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The two fields that are there without a value, as long as an iteration lasts. */
  private static final Map<String, String> NULL_WHILE_IN_PROGRESS =
      Map.of(
          "IterationContext.Iteration", "completed_at",
          "IterationContext.ToolCallRecord", "result");

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
        if (!described.isMissingNode()) {
          operations.add(new Operation(method.toUpperCase(Locale.ROOT), path.getKey(), described));
        }
      }
    }
  }

  static ApiDocument read() {
    try (var files = Files.newDirectoryStream(FOLDER, "*.yml")) {
      return new ApiDocument(new YAMLMapper().readTree(files.iterator().next().toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One operation of the document. */
  record Operation(String method, String path, JsonNode described) {

    String name() {
      return method + " " + path;
    }

    Set<Integer> statuses() {
      var statuses = new TreeSet<Integer>();
      described
          .path("responses")
          .fieldNames()
          .forEachRemaining(it -> statuses.add(Integer.valueOf(it)));
      return statuses;
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
      return described.path("responses").path(String.valueOf(status)).path("content");
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
            Optional.of(operation.content(status).path("application/json").path("schema"))
                .filter(JsonNode::isObject)
                .map(this::compiled));
  }

  private JsonSchema compiled(JsonNode schema) {
    ObjectNode whole = JSON.objectNode();
    whole.set("allOf", JSON.arrayNode().add(strict(schema)));
    whole.set("components", components());
    return SCHEMAS.getSchema(
        whole, SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build());
  }

  /** One of several forms, told by the word in one field. */
  private static JsonNode told(JsonNode schema) {
    var field = schema.path("discriminator").path("propertyName").asText();
    var forms = JSON.objectNode();
    var any = forms.putArray("oneOf");
    for (var form : schema.path("discriminator").path("mapping").properties()) {
      var all = any.addObject().putArray("allOf");
      all.addObject().set("$ref", form.getValue());
      all.addObject().putObject("properties").putObject(field).put("const", form.getKey());
    }
    return forms;
  }

  private static boolean saysNoMore(JsonNode schema) {
    return schema.properties().stream()
        .map(Map.Entry::getKey)
        .allMatch(Set.of("type", "nullable", "description")::contains);
  }

  private ObjectNode components() {
    var described = (ObjectNode) strict(root.path("components"));
    for (var name : NULL_WHILE_IN_PROGRESS.keySet()) {
      var properties = (ObjectNode) described.path("schemas").path(name).path("properties");
      var field = NULL_WHILE_IN_PROGRESS.get(name);
      var known = properties.path(field);
      properties.putObject(field).putArray("anyOf").add(known).addObject().put("type", "null");
    }
    return described;
  }

  /**
   * The schema of what we say ourselves: nothing is null (what is not there is left out), and there
   * is no field that is not described.
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
    if (schema.has("discriminator")) {
      return told(schema);
    }
    // So the generator writes java.lang.Object, which may be any value.
    if (schema.path("type").asText().equals("object") && saysNoMore(schema)) {
      return JSON.objectNode();
    }
    var object = JSON.objectNode();
    schema
        .properties()
        .forEach(field -> {
          if (!field.getKey().equals("nullable") || !field.getValue().isBoolean()) {
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
