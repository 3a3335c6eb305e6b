package org.habitline.flows;

/**
 * How a flow writes a personal prompt: its prompt file, its model, and what a scheduled prompt says
 * when that fails.
 */
public record PromptGenerator(String prompt, String fallbackText, ModelSettings model) {

  /**
   * Longest habit prompt, in characters: three text messages of 160. A longer answer of a model is
   * not one sentence.
   */
  public static final int LONGEST_PROMPT = 480;
}
