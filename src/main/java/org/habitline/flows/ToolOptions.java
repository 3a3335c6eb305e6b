package org.habitline.flows;

/** What a flow says about a tool of a module. Each tool that has options defines its own record. */
public interface ToolOptions {

  /** The options of a tool that has none. */
  ToolOptions NONE = new None();

  /** No options. */
  record None() implements ToolOptions {}
}
