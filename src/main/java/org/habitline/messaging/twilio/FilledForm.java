package org.habitline.messaging.twilio;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.messaging.inbox.PlainText;

/**
 * A form that a participant filled in on WhatsApp (WhatsApp Flows): its answers as JSON, to be
 * stored, and in words, for the model and for people. The author of the form chooses the names of
 * its fields; unknown names are accepted.
 *
 * @param data JSON, even if the input was not
 * @param words a description in brackets
 */
record FilledForm(String data, String words) {

  private static final JsonMapper JSON = new JsonMapper();

  /** The objects in which Meta wraps the answers, some as JSON in a string. */
  private static final List<String> WRAPPERS =
      List.of("nfm_reply", "interactive", "response_json", "response", "data");

  /** Fields that the provider adds, which are not answers. */
  private static final Set<String> NO_ANSWERS = Set.of("flow_token", "flow_id");

  private static final int DEEPEST = 5;
  private static final int LONGEST_DATA = 1_000_000;
  private static final int LONGEST_WORDS = 4_000;
  private static final String CUT = " …";

  static FilledForm read(String interactiveData) {
    var text = PlainText.storable(interactiveData);
    var read = json(text);
    var data = read.map(JsonNode::toString).orElseGet(() -> TextNode.valueOf(text).toString());
    var words = read.map(node -> words(answers(node, 0), 0)).orElse(text.strip());
    return new FilledForm(
        data.length() <= LONGEST_DATA
            ? data
            : TextNode.valueOf(text.substring(0, LONGEST_DATA / 2)).toString(),
        words.isBlank() ? "[form received]" : "[form received: " + cut(words) + "]");
  }

  private static String cut(String words) {
    return words.length() <= LONGEST_WORDS ? words : words.substring(0, LONGEST_WORDS) + CUT;
  }

  private static Optional<JsonNode> json(String text) {
    try {
      return Optional.of(JSON.readTree(text)).filter(JsonNode::isContainerNode);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static JsonNode answers(JsonNode node, int depth) {
    if (depth < DEEPEST) {
      for (var wrapper : WRAPPERS) {
        var inside = node.path(wrapper);
        var unwrapped = inside.isTextual() ? json(inside.asText()).orElse(inside) : inside;
        if (unwrapped.isContainerNode()) {
          return answers(unwrapped, depth + 1);
        }
      }
    }
    return node;
  }

  private static String words(JsonNode node, int depth) {
    if (node.isObject() && depth < DEEPEST) {
      var parts = new ArrayList<String>();
      node.properties().stream()
          .filter(field -> !NO_ANSWERS.contains(field.getKey()))
          .forEach(field ->
              parts.add(label(field.getKey()) + ": " + words(field.getValue(), depth + 1)));
      return String.join("; ", parts);
    }
    if (node.isArray() && depth < DEEPEST) {
      return node.valueStream()
          .map(item -> words(item, depth + 1))
          .collect(Collectors.joining(", "));
    }
    return node.isContainerNode() ? node.toString() : node.asText();
  }

  private static String label(String key) {
    return key.replace('_', ' ').strip();
  }
}
