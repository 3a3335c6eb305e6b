package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.habitline.Hashes;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.jspecify.annotations.Nullable;

/**
 * Converts turns to JSON for the journal; everything written is read back exactly after a crash.
 */
public final class TurnJson {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final JsonMapper SORTED =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  /** Writes data as the API shows it. */
  private static final JsonMapper SHOWN =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .defaultPropertyInclusion(JsonInclude.Value.ALL_NON_NULL)
          .build();

  /** The deepest nesting that is shown as JSON, far from what can be written inside an answer. */
  private static final int DEEPEST = 100;

  /** Reads JSON without dropping any of it, such as a second value or a repeated name. */
  private static final ObjectReader WHOLE =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .reader();

  private static final TypeReference<List<ModelMessage>> MESSAGES = new TypeReference<>() {};
  private static final TypeReference<List<CallRecord>> CALLS = new TypeReference<>() {};
  private static final ObjectWriter MESSAGES_WRITER = MAPPER.writerFor(MESSAGES);
  private static final ObjectWriter REPLY_WRITER = MAPPER.writerFor(ModelReply.class);

  private static final Pattern FENCE = Pattern.compile("```\\w*\\s(.*)```", Pattern.DOTALL);

  private TurnJson() {}

  public static String messages(List<ModelMessage> messages) {
    try {
      return MESSAGES_WRITER.writeValueAsString(messages);
    } catch (JsonProcessingException e) {
      throw unwritable(e);
    }
  }

  public static List<ModelMessage> messages(String json) {
    return read(json, MESSAGES);
  }

  public static String calls(List<CallRecord> calls) {
    return write(calls);
  }

  public static List<CallRecord> calls(String json) {
    return read(json, CALLS);
  }

  public static String reply(ModelReply reply) {
    try {
      return REPLY_WRITER.writeValueAsString(reply);
    } catch (JsonProcessingException e) {
      throw unwritable(e);
    }
  }

  public static ModelReply reply(String json) {
    return read(json, new TypeReference<>() {});
  }

  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw unwritable(e);
    }
  }

  public static JsonNode tree(String json) {
    return read(json, new TypeReference<>() {});
  }

  public static <T> T read(String json, TypeReference<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "A stored turn cannot be read: " + e.getClass().getSimpleName());
    }
  }

  /**
   * Returns whether a text is nothing but a JSON object or array, with or without a Markdown fence
   * around it, which no participant should see.
   */
  public static boolean isJson(String text) {
    var fenced = FENCE.matcher(text.strip());
    var bare = fenced.matches() ? fenced.group(1).strip() : text.strip();
    if (!bare.startsWith("{") && !bare.startsWith("[")) {
      return false;
    }
    try (var parser = MAPPER.createParser(bare)) {
      var _ = MAPPER.readTree(parser);
      return parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns these values as plain JSON values: maps, lists, texts, numbers. */
  static Map<String, Object> values(Map<String, Object> values) {
    try {
      return read(SHOWN.writeValueAsString(values), new TypeReference<>() {});
    } catch (JsonProcessingException e) {
      throw unwritable(e);
    }
  }

  /**
   * Returns a text parsed as JSON, or the text itself if it is not exactly one JSON value or is
   * nested too deeply.
   */
  public static JsonNode treeOrText(String text) {
    try {
      var tree = WHOLE.readTree(text);
      return tree.isMissingNode() ? TextNode.valueOf(text) : tree;
    } catch (JsonProcessingException e) {
      return TextNode.valueOf(text);
    }
  }

  /** Returns the status in a tool's result, or {@code error} if there is no result or status. */
  public static String status(@Nullable String result) {
    if (result == null) {
      return "error";
    }
    try {
      return MAPPER.readTree(result).path("status").asText("error");
    } catch (JsonProcessingException e) {
      return "error";
    }
  }

  /** Returns arguments in canonical JSON, keys sorted, or the text itself if it is not JSON. */
  public static String canonical(String arguments) {
    try {
      return SORTED.writeValueAsString(SORTED.readValue(arguments, Object.class));
    } catch (JsonProcessingException e) {
      return arguments;
    }
  }

  /** Returns the SHA-256 of a request, in hexadecimal. */
  public static String hash(ModelRequest request) {
    return Hashes.sha256(write(request));
  }

  private static IllegalStateException unwritable(JsonProcessingException e) {
    return new IllegalStateException("A turn cannot be written: " + e.getClass().getSimpleName());
  }
}
