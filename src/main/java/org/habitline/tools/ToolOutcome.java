package org.habitline.tools;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call: the short JSON that the model reads ({@code status} is success, noop,
 * error or unknown) and the effects to apply. Only a success has effects.
 */
public record ToolOutcome(ObjectNode result, List<Effect> effects) {

  /** The status of a call that did what it was asked for. */
  public static final String SUCCESS = "success";

  /** The status of a call that had nothing to change. */
  public static final String NOOP = "noop";

  private static final String ERROR = "error";

  /** The status of a call that may or may not have been carried out. */
  public static final String UNKNOWN = "unknown";

  public ToolOutcome {
    effects = List.copyOf(effects);
    var status = result.path("status").asText();
    if (!effects.isEmpty() && !status.equals(SUCCESS)) {
      throw new IllegalArgumentException("an outcome of status " + status + " asks for effects");
    }
  }

  /**
   * Returns a success, with effects or with data that was looked up; the caller adds to {@code
   * result} what the model should know.
   */
  public static ToolOutcome success(Effect... effects) {
    return new ToolOutcome(withStatus(SUCCESS), List.of(effects));
  }

  /** Returns a noop: everything was as requested already. */
  public static ToolOutcome noop(String message) {
    return new ToolOutcome(withStatus(NOOP).put("message", message), List.of());
  }

  /** Returns an error that no other argument could have avoided; nothing changes. */
  public static ToolOutcome error(String message) {
    return error(null, message, List.of());
  }

  /**
   * Returns an error about one argument; nothing changes.
   *
   * @param field the argument, or {@code null} if the error is about none
   * @param message what was wrong and what is accepted
   * @param validValues all accepted values, if they can be listed; left out when empty
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

  /**
   * Returns the outcome of a call that acts outside and may or may not have been carried out. It is
   * not made again.
   */
  public static ToolOutcome unknown() {
    return new ToolOutcome(
        withStatus(UNKNOWN)
            .put(
                "message",
                "It is not known whether this call was carried out, and it will not be made again."
                    + " If another tool can look it up, use that; otherwise say that you do not"
                    + " know."),
        List.of());
  }

  /** Returns whether it is not known if the call was carried out. */
  public boolean isUnknown() {
    return result.path("status").asText().equals(UNKNOWN);
  }

  /** Returns whether the call failed and the model has to be told why. */
  public boolean failed() {
    return result.path("status").asText().equals(ERROR);
  }

  private static ObjectNode withStatus(String status) {
    return JsonNodeFactory.instance.objectNode().put("status", status);
  }
}
