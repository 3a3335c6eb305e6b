package org.habitline.llm.rehearsal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;

/**
 * Where the participant stands, as the status message says it. What cannot be read counts as not
 * known.
 */
record Status(
    Optional<String> module,
    Map<String, String> profile,
    List<String> missing,
    Optional<String> lastPrompt) {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String MODULE = "Module: ";
  private static final String PROFILE = "Profile: ";
  private static final String MISSING = "Missing for a habit prompt: ";
  private static final String LAST_PROMPT = "Last habit prompt: ";

  static Status of(ModelRequest request) {
    var system = systemTexts(request);
    var status =
        system.stream()
            .filter(text -> text.startsWith(MODULE))
            .findFirst()
            .or(() -> system.stream().filter(text -> text.startsWith(PROFILE)).findFirst())
            .orElse("");
    return new Status(
        value(status, MODULE),
        value(status, PROFILE).map(Status::fields).orElse(Map.of()),
        value(status, MISSING)
            .filter(text -> !text.equals("nothing"))
            .map(text -> List.of(text.split(",\\s*", -1)))
            .orElse(List.of()),
        value(status, LAST_PROMPT).filter(text -> !text.equals("none")));
  }

  static List<String> systemTexts(ModelRequest request) {
    return request.messages().stream()
        .filter(ModelMessage.SystemText.class::isInstance)
        .map(ModelMessage.SystemText.class::cast)
        .map(ModelMessage.SystemText::content)
        .toList();
  }

  boolean knows(String field) {
    return profile.containsKey(field);
  }

  String intensity() {
    return profile.getOrDefault(Field.INTENSITY, "normal");
  }

  private static Optional<String> value(String status, String label) {
    return Arrays.stream(status.split("\n", -1))
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()).strip())
        .filter(text -> !text.isEmpty())
        .findFirst();
  }

  private static Map<String, String> fields(String json) {
    var fields = new TreeMap<String, String>();
    try {
      JSON.readTree(json)
          .properties()
          .forEach(field -> {
            if (field.getValue().isTextual() && !field.getValue().textValue().isBlank()) {
              fields.put(field.getKey(), field.getValue().textValue());
            }
          });
    } catch (JsonProcessingException e) {
      return Map.of();
    }
    return fields;
  }
}
