package org.habitline.tools;

import java.time.Duration;
import java.util.List;
import org.habitline.flows.FlowModule;
import org.habitline.flows.McpTool;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;

/**
 * The tools of other servers. Unlike a {@link Tool}, such a call may change something outside, so
 * it must be on disk before it runs and is never made twice. Safe for any number of threads.
 */
public interface OutsideTools {

  /**
   * Asks every server that a flow names for its tools, connecting where needed. Returns when each
   * has answered or has taken too long; a server that cannot be used is only a warning.
   */
  void refresh();

  /**
   * Returns the tools that a module offers its model, in the order of the flow, as their servers
   * described them last; without those that no server has described yet. Asks no one.
   */
  List<ToolSpec> offered(FlowModule module);

  /**
   * Makes one call. Holds nothing while it waits; never throws. The outcome is unknown if the
   * request may have arrived and no usable answer came.
   *
   * @param atMost the longest time; the server's own limit may be shorter
   */
  ToolOutcome call(McpTool tool, ToolCall call, Duration atMost);

  /** Returns one sentence for everything that keeps a flow from using a tool, for health pages. */
  List<String> warnings();
}
