package org.habitline.flows;

/** The prompt files of the flows, for whoever asks a model. */
@FunctionalInterface
public interface Prompts {

  /**
   * Returns the prompt a flow names, with the flow's texts filled in. A missing file gives the text
   * shipped inside the program.
   */
  Prompt prompt(Flow flow, String file);
}
