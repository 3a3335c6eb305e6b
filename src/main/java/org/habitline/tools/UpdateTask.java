package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/** Changes the title of one of the participant's tasks (seed 001). A noop if it is the same. */
@Singleton
final class UpdateTask implements Tool {

  @Override
  public String name() {
    return "update_task";
  }

  @Override
  public boolean runsOutsideTurns() {
    return true;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Changes the title of one task.",
        TaskCall.withTitle(TaskCall.schemaOfOne(), "The new title.").done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var call = new TaskCall(run, given, TaskCall.TASK_ID, TaskCall.TITLE);
    var found = call.task();
    var title = call.title();
    if (call.refusal().isPresent()) {
      return call.refusal().get();
    }
    var task = found.orElseThrow();
    var renamed = new Tasks.Task(task.id(), title.orElseThrow(), task.completed());
    return TaskCall.telling(
        renamed.equals(task)
            ? ToolOutcome.noop("The task has this title already.")
            : ToolOutcome.success(renamed.put()),
        renamed,
        call.tasks().all().size());
  }
}
