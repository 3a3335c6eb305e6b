package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/** Marks one of the participant's tasks as completed (seed 001). A noop if it is already. */
@Singleton
final class CompleteTask implements Tool {

  @Override
  public String name() {
    return "complete_task";
  }

  @Override
  public boolean runsOutsideTurns() {
    return true;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(name(), "Marks one task as completed.", TaskCall.schemaOfOne().done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var call = new TaskCall(run, given, TaskCall.TASK_ID);
    var found = call.task();
    if (call.refusal().isPresent()) {
      return call.refusal().get();
    }
    var task = found.orElseThrow();
    var completed = new Tasks.Task(task.id(), task.title(), true);
    return TaskCall.telling(
        task.completed()
            ? ToolOutcome.noop("The task was completed already.")
            : ToolOutcome.success(completed.put()),
        completed,
        call.tasks().all().size());
  }
}
