package org.habitline.staff.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Set;
import java.util.TreeSet;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.PlainText;
import org.jspecify.annotations.Nullable;

/**
 * A participant's message in the web chat.
 *
 * @param id makes sending the same message twice harmless, if there is one
 */
record ChatMessage(String conversationId, String content, @Nullable String id) {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final Set<String> FIELDS =
      new TreeSet<>(Set.of("type", "conversation_id", "content", "id"));

  private static final String AUTH = "auth";
  private static final Set<String> AUTH_FIELDS = new TreeSet<>(Set.of("type", "token"));
  private static final int LONGEST_ID = 64;

  /** An unreadable message. The sentence says why and quotes nothing that was sent. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String sentence) {
      super(sentence, null, false, false);
    }

    String sentence() {
      return String.valueOf(getMessage());
    }
  }

  static ChatMessage read(String json) throws Unreadable {
    var said = tree(json);
    if (AUTH.equals(text(said, "type"))) {
      throw new Unreadable(
          "type: auth is accepted only as the first message, and only if the handshake"
              + " contained no token.");
    }
    check(said, FIELDS);
    if (!"message".equals(text(said, "type"))) {
      throw new Unreadable("type: expected message.");
    }
    var conversation = text(said, "conversation_id");
    if (conversation == null) {
      throw new Unreadable(
          "conversation_id: missing; expected the id of the token's conversation.");
    }
    return new ChatMessage(conversation, content(said), id(said));
  }

  /** Returns the token in {@code {"type":"auth","token":"…"}}, the first message of a chat. */
  static String token(String json) throws Unreadable {
    var said = tree(json);
    if (!AUTH.equals(text(said, "type"))) {
      throw new Unreadable("type: expected auth with the token as the first message.");
    }
    check(said, AUTH_FIELDS);
    var token = text(said, "token");
    if (token == null || token.isBlank()) {
      throw new Unreadable("token: missing; staff create one for each participant.");
    }
    return token.strip();
  }

  private static void check(JsonNode said, Set<String> fields) throws Unreadable {
    for (var field : said.properties()) {
      if (!fields.contains(field.getKey())) {
        throw new Unreadable("Unknown field; accepted fields: " + String.join(", ", fields) + ".");
      }
    }
  }

  private static JsonNode tree(String json) throws Unreadable {
    try {
      var tree = JSON.readTree(json);
      if (tree.isObject()) {
        return tree;
      }
    } catch (JsonProcessingException e) {
      // Not rethrown: its message may quote what was sent.
    }
    throw new Unreadable("Expected one JSON object.");
  }

  private static @Nullable String text(JsonNode said, String field) throws Unreadable {
    var value = said.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isTextual()) {
      throw new Unreadable(field + ": expected a text.");
    }
    return value.textValue();
  }

  private static String content(JsonNode said) throws Unreadable {
    var content = text(said, "content");
    if (content == null || PlainText.storable(content).isBlank()) {
      throw new Unreadable("content: blank; expected the participant's text.");
    }
    if (content.length() > Inbox.LONGEST_TEXT) {
      throw new Unreadable(
          "content: too long; at most " + Inbox.LONGEST_TEXT + " characters are accepted.");
    }
    return content;
  }

  private static @Nullable String id(JsonNode said) throws Unreadable {
    var id = text(said, "id");
    if (id != null && (id.isBlank() || id.length() > LONGEST_ID)) {
      throw new Unreadable("id: expected 1 to " + LONGEST_ID + " characters, or none.");
    }
    return id;
  }
}
