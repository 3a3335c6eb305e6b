package org.habitline.flows;

/**
 * A flow's settings for writing habit prompts: the prompt file, the model, and the text of a
 * scheduled prompt when the model fails.
 */
public record PromptGenerator(String prompt, String fallbackText, ModelSettings model) {

  /**
   * The longest habit prompt, in characters: three SMS of 160. A longer reply of a model is not one
   * sentence.
   */
  public static final int LONGEST_PROMPT = 480;
}
