package org.habitline.llm;

/**
 * A tool call as the model wrote it. The arguments are the model's own text and may not be JSON.
 */
public record ToolCall(String id, String name, String arguments) {}
