package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A tool as described to the model: name, purpose, and a JSON schema of its arguments.
 *
 * @param foreign whether another server wrote the schema, which then need not follow the rules that
 *     OpenAI calls strict
 */
public record ToolSpec(
    String name,
    String description,
    ObjectNode schema,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean foreign) {

  /** Describes a tool whose schema follows the strict rules. */
  public ToolSpec(String name, String description, ObjectNode schema) {
    this(name, description, schema, false);
  }
}
