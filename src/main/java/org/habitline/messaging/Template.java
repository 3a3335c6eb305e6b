package org.habitline.messaging;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text whose words lie with the provider, who approved them or puts buttons under them.
 *
 * @param id the provider's id of it (Twilio's {@code ContentSid})
 * @param variables what is filled in, by the name it has there ({@code "1"}, {@code "2"})
 */
public record Template(String id, Map<String, String> variables) {

  private static final JsonMapper JSON = new JsonMapper();
  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

  public Template {
    variables = Map.copyOf(variables);
  }

  /** The variables as a JSON object. */
  public String variablesAsJson() {
    return write(variables);
  }

  public static @Nullable String stored(@Nullable Template template) {
    return template == null ? null : template.id() + " " + template.variablesAsJson();
  }

  public static @Nullable Template read(@Nullable String stored) {
    if (stored == null) {
      return null;
    }
    var blank = stored.indexOf(' ');
    try {
      return new Template(
          stored.substring(0, blank), JSON.readValue(stored.substring(blank + 1), TEXTS));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A template in the outbox is not readable");
    }
  }

  private static String write(Map<String, String> variables) {
    try {
      return JSON.writeValueAsString(variables);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Texts are always JSON");
    }
  }
}
