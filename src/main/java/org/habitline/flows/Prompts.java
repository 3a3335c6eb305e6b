package org.habitline.flows;

/** Provides the prompt files of the flows to code that asks a model. */
@FunctionalInterface
public interface Prompts {

  /**
   * Returns the prompt that a flow names, with the flow's texts and times filled in. If the file is
   * missing, this is the text read before, or the packaged text if the flow is packaged too.
   */
  Prompt prompt(Flow flow, String file);
}
