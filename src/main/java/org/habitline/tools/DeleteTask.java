package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/** Deletes one of the participant's tasks (seed 001); its id is never used again. */
@Singleton
final class DeleteTask implements Tool {

  @Override
  public String name() {
    return "delete_task";
  }

  @Override
  public boolean runsOutsideTurns() {
    return true;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Deletes one task. The result has the deleted task and how many tasks are left.",
        TaskCall.schemaOfOne().done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var call = new TaskCall(run, given, TaskCall.TASK_ID);
    var found = call.task();
    if (call.refusal().isPresent()) {
      return call.refusal().get();
    }
    var task = found.orElseThrow();
    return TaskCall.telling(
        ToolOutcome.success(task.delete()), task, call.tasks().all().size() - 1);
  }
}
