package org.habitline.flows;

/** The prompt files of the flows, for whoever asks a model. */
@FunctionalInterface
public interface Prompts {

  /**
   * Returns the prompt a flow names, with the flow's texts and times filled in. Where the file is
   * missing, it is the text that was read before, or the one packaged with the program if the flow
   * is packaged too.
   */
  Prompt prompt(Flow flow, String file);
}
