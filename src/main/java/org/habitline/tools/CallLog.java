package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.function.Supplier;
import org.habitline.llm.ToolSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one debug line before a tool runs: its name, and the names and sizes of its arguments
 * (seed 003). Values are participant data and are never logged, nor are names that the model made
 * up. Safe for any number of threads.
 */
public final class CallLog {

  private static final Logger log = LoggerFactory.getLogger(CallLog.class);

  private CallLog() {}

  /**
   * Says that a call is about to run. Sizes are in characters of a text, or of another value's
   * JSON.
   *
   * @param tool the tool, asked for only if the line is written
   */
  public static void begins(String participantId, Supplier<ToolSpec> tool, ObjectNode arguments) {
    if (log.isDebugEnabled()) {
      var spec = tool.get();
      log.debug("tool {} runs for {} with {}", spec.name(), participantId, sizes(spec, arguments));
    }
  }

  private static String sizes(ToolSpec spec, ObjectNode arguments) {
    var known = spec.schema().path("properties");
    var sizes = new ArrayList<String>();
    for (var argument : arguments.properties()) {
      var value = argument.getValue();
      var size = value.isTextual() ? value.textValue().length() : value.toString().length();
      var name = known.has(argument.getKey()) ? argument.getKey() : "(unknown name)";
      sizes.add(name + " " + size);
    }
    return sizes.isEmpty() ? "no arguments" : String.join(", ", sizes);
  }
}
