package org.habitline.llm;

/**
 * A call as the model wrote it. The arguments are its own text: any bytes, not checked to be JSON.
 */
public record ToolCall(String id, String name, String arguments) {}
