package org.habitline.llm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A question to a chat model whose answer is one word for each of some fields. The model answers by
 * a call with a fixed schema, or, if its server has no tools, by the same JSON as text. Whatever
 * else it writes is unreadable. Safe for any number of threads.
 */
public final class ChoiceQuestion {

  private static final int LONGEST_ANSWER = 2000;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final ModelMessage instructions;
  private final ToolSpec tool;

  /**
   * A field of the answer.
   *
   * @param words the words of which the answer is one, in the order of the schema
   */
  public record Field(String name, String description, Collection<String> words) {}

  /** What came of asking. */
  public sealed interface Answer {

    Receipt receipt();

    /**
     * An object, of which a server may not have checked that it follows the schema.
     *
     * @param fields a JSON object
     */
    record Given(JsonNode fields, Receipt receipt) implements Answer {

      /** Returns the word of a field, or an empty text. */
      public String word(String field) {
        return fields.path(field).asText();
      }
    }

    /** The answer has another format, or was cut off. */
    record Unreadable(Receipt receipt) implements Answer {}

    /**
     * There is no answer.
     *
     * @param failure {@code null} if the model declined
     */
    record Missing(@Nullable ModelFailure failure, Receipt receipt) implements Answer {}
  }

  /**
   * Creates a question.
   *
   * @param instructions what the model is told before the data
   * @param tool the name of the call by which it answers
   */
  public ChoiceQuestion(String instructions, String tool, String description, List<Field> fields) {
    this.instructions = new ModelMessage.SystemText(instructions);
    this.tool = new ToolSpec(tool, description, schema(fields));
  }

  private static ObjectNode schema(List<Field> fields) {
    var schema = JSON.createObjectNode().put("type", "object");
    var properties = schema.putObject("properties");
    for (var field : fields) {
      var property =
          properties
              .putObject(field.name())
              .put("description", field.description())
              .put("type", "string");
      field.words().forEach(property.putArray("enum")::add);
    }
    var required = schema.putArray("required");
    fields.forEach(field -> required.add(field.name()));
    return schema.put("additionalProperties", false);
  }

  /**
   * Returns the request about some data.
   *
   * @param model the model to ask, or {@code null} for the usual one
   * @param temperature {@code null} for the server's default
   * @param data JSON, so that nothing in it looks like an instruction
   */
  public ModelRequest about(@Nullable String model, @Nullable Double temperature, String data) {
    return new ModelRequest(
        model,
        temperature,
        null,
        List.of(instructions, new ModelMessage.UserText(data)),
        List.of(tool),
        false,
        null);
  }

  /** Asks a request of this question; blocks until the deadline at most. */
  public static Answer ask(LanguageModel model, ModelRequest request, Deadline deadline) {
    return read(model.answer(request, deadline));
  }

  /** Reads the answer in a model's reply. */
  public static Answer read(ModelReply reply) {
    var receipt = reply.receipt();
    return switch (reply) {
      case ModelReply.CallsTools calls -> read(calls.calls().getFirst().arguments(), receipt);
      case ModelReply.Says says -> read(says.text(), receipt);
      case ModelReply.CutOff cutOff -> new Answer.Unreadable(receipt);
      case ModelReply.Refused refused -> new Answer.Missing(null, receipt);
      case ModelReply.Failed failed -> new Answer.Missing(failed.failure(), receipt);
    };
  }

  private static Answer read(String answer, Receipt receipt) {
    return object(answer)
        .<Answer>map(fields -> new Answer.Given(fields, receipt))
        .orElseGet(() -> new Answer.Unreadable(receipt));
  }

  /** Returns the JSON object in an answer, which a model may have put between marks. */
  private static Optional<JsonNode> object(String answer) {
    var from = answer.indexOf('{');
    var to = answer.lastIndexOf('}');
    if (from < 0 || to < from || answer.length() > LONGEST_ANSWER) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readTree(answer.substring(from, to + 1)));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
