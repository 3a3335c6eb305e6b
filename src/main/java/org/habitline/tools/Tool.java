package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.habitline.flows.Flow;
import org.habitline.llm.ToolSpec;

/**
 * A tool that a model may call. It reads its arguments and the turn's working copy and returns the
 * changes to make. It writes nothing itself, and may be called again with the same arguments when a
 * turn is resumed.
 */
public interface Tool {

  String name();

  /** Returns the specification for the model, for one flow. */
  ToolSpec spec(Flow flow);

  /**
   * Runs one call. Bad arguments return an error outcome with the field, the rule and the valid
   * values.
   */
  ToolOutcome call(ToolRun run, ObjectNode arguments);
}
