package org.habitline.flows;

import java.util.List;

/** What a flow says about a tool of a module. Each tool that has options defines its own record. */
public interface ToolOptions {

  /** The options of a tool that has none. */
  ToolOptions NONE = new None();

  /** No options. */
  record None() implements ToolOptions {}

  /** Returns the names of the prompt files that the tool sends to a model. */
  default List<String> promptFiles() {
    return List.of();
  }
}
