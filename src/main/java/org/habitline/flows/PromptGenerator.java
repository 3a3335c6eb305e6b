package org.habitline.flows;

/**
 * How a flow writes a personal prompt: its prompt file, its model, and what a scheduled prompt says
 * when that fails.
 */
public record PromptGenerator(String prompt, String fallbackText, ModelSettings model) {}
