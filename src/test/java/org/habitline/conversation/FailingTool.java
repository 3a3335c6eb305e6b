package org.habitline.conversation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;
import org.habitline.tools.Tool;
import org.habitline.tools.ToolOutcome;
import org.habitline.tools.ToolRun;

/** A tool that breaks whenever it is called. */
public final class FailingTool implements Tool {

  public static final String NAME = "failing_tool";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    var schema = JsonNodeFactory.instance.objectNode();
    schema.put("type", "object").put("additionalProperties", false);
    schema.putObject("properties");
    schema.putArray("required");
    return new ToolSpec(NAME, "Breaks.", schema);
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode arguments) {
    throw new IllegalStateException("the secret of " + run.participant().name());
  }
}
