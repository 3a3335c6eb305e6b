package org.habitline.flows;

import java.util.List;

/** What a flow says about a tool of a module. Each tool that has options defines its own record. */
public interface ToolOptions {

  /** The options of a tool that has none. */
  ToolOptions NONE = new None();

  /** No options. */
  record None() implements ToolOptions {}

  /** Options that name prompt files, which the tool sends to a model. */
  interface WithPromptFiles extends ToolOptions {
    List<String> promptFiles();
  }
}
