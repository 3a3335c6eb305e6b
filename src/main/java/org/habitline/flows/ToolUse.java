package org.habitline.flows;

/**
 * A tool that a module offers to its model, with the options that the flow gives it.
 *
 * @param name the name that the model sees
 */
public record ToolUse(String name, ToolOptions options) {}
