package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.habitline.flows.Flow;
import org.habitline.llm.ToolSpec;

/**
 * Something a model may ask for. A tool reads its arguments and the turn's working copy and says
 * what should change; it writes nothing itself and may be called again with the same arguments when
 * a turn is resumed.
 */
public interface Tool {

  String name();

  /** What the model is told, for one flow. */
  ToolSpec spec(Flow flow);

  /** Runs one call. Bad arguments give an error outcome naming field, rule and valid values. */
  ToolOutcome call(ToolRun run, ObjectNode arguments);
}
