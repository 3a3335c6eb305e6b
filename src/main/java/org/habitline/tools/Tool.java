package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import org.habitline.config.Section;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.FlowPart;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolSpec;

/**
 * A tool that a model may call. It reads its arguments and the turn's working copy and returns the
 * changes to make. It writes nothing itself, and may be called again with the same arguments when a
 * turn is resumed.
 */
public interface Tool {

  String name();

  /** Returns the parts that a flow must have to offer this tool. */
  default Set<FlowPart> needs() {
    return Set.of();
  }

  /**
   * Reads what a flow says about this tool in one of its modules; mistakes are added to the
   * section.
   *
   * @param given without keys if the flow says nothing
   */
  default ToolOptions options(Section given, FlowNames names) {
    given.only();
    return ToolOptions.NONE;
  }

  /**
   * Returns whether the tool may also be called outside a turn, over the Model Context Protocol.
   * Such a tool changes nothing but the participant's records, asks no model and takes no time.
   */
  default boolean runsOutsideTurns() {
    return false;
  }

  /** Returns whether a model is offered this tool in this situation. */
  default boolean isOffered(WorkingCopy copy) {
    return true;
  }

  /** Returns whether the tool only makes sense in reply to a text. */
  default boolean needsText() {
    return false;
  }

  /** Returns the specification for the model of one module. */
  ToolSpec spec(Flow flow, FlowModule module);

  /**
   * Runs one call. Bad arguments return an error outcome with the field, the rule and the valid
   * values.
   */
  ToolOutcome call(ToolRun run, ObjectNode arguments);
}
