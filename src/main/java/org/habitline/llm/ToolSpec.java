package org.habitline.llm;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A tool as described to the model: name, purpose, and a strict JSON schema of its arguments. */
public record ToolSpec(String name, String description, ObjectNode schema) {}
