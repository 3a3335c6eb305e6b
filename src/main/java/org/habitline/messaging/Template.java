package org.habitline.messaging;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message whose wording is stored with the provider, who approved it or adds buttons to it.
 *
 * @param id the provider's id of the template (Twilio's {@code ContentSid})
 * @param variables the values to fill in, by their names in the template ({@code "1"}, {@code "2"})
 */
public record Template(String id, Map<String, String> variables) {

  private static final JsonMapper JSON = new JsonMapper();
  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

  public Template {
    variables = Map.copyOf(variables);
  }

  /** Returns the variables as a JSON object. */
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
      throw new IllegalStateException("A template in the outbox cannot be read");
    }
  }

  private static String write(Map<String, String> variables) {
    try {
      return JSON.writeValueAsString(variables);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The variables of a template cannot be written as JSON");
    }
  }
}
