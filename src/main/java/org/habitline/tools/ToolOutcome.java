package org.habitline.tools;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a call came to: the short JSON the model reads ({@code status} is success, noop or error)
 * and the effects it asks for. Only a success asks for any.
 */
public record ToolOutcome(ObjectNode result, List<Effect> effects) {

  private static final String SUCCESS = "success";
  private static final String NOOP = "noop";
  private static final String ERROR = "error";

  public ToolOutcome {
    effects = List.copyOf(effects);
    var status = result.path("status").asText();
    if (!effects.isEmpty() && !status.equals(SUCCESS)) {
      throw new IllegalArgumentException("an outcome of status " + status + " asks for effects");
    }
  }

  /**
   * Something shall happen, or was looked up; the caller adds to {@code result} what the model
   * should know.
   */
  public static ToolOutcome success(Effect... effects) {
    return new ToolOutcome(withStatus(SUCCESS), List.of(effects));
  }

  /** All was as asked already. */
  public static ToolOutcome noop(String message) {
    return new ToolOutcome(withStatus(NOOP).put("message", message), List.of());
  }

  /** Nothing happened, for a reason that no argument could have changed. */
  public static ToolOutcome error(String message) {
    return error(null, message, List.of());
  }

  /**
   * Nothing happened, because of one argument.
   *
   * @param field the argument, or {@code null} when none is to blame
   * @param message what was wrong and what is accepted
   * @param validValues everything accepted, if that is a list; left out when empty
   */
  public static ToolOutcome error(
      @Nullable String field, String message, Collection<String> validValues) {
    var result = withStatus(ERROR);
    if (field != null) {
      result.put("field", field);
    }
    result.put("message", message);
    if (!validValues.isEmpty()) {
      var values = result.putArray("valid_values");
      validValues.forEach(values::add);
    }
    return new ToolOutcome(result, List.of());
  }

  /** Whether nothing happened and the model has to be told why. */
  public boolean failed() {
    return result.path("status").asText().equals(ERROR);
  }

  private static ObjectNode withStatus(String status) {
    return JsonNodeFactory.instance.objectNode().put("status", status);
  }
}
