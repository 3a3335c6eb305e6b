package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/**
 * Adds a task to the participant's list (seed 001). Each call adds one, also with a title that is
 * there.
 */
@Singleton
final class AddTask implements Tool {

  @Override
  public String name() {
    return "add_task";
  }

  @Override
  public boolean runsOutsideTurns() {
    return true;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Adds one task. The result has the new task and how many tasks there are now.",
        TaskCall.withTitle(TaskCall.schema(), "What is to be done.").done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var call = new TaskCall(run, given, TaskCall.TITLE);
    var title = call.title();
    if (call.refusal().isPresent()) {
      return call.refusal().get();
    }
    var tasks = call.tasks();
    if (tasks.all().size() >= Tasks.MOST) {
      return ToolOutcome.error(
          "There are %d tasks, and more are not accepted; delete a task first."
              .formatted(tasks.all().size()));
    }
    var task = new Tasks.Task(tasks.next(), title.orElseThrow(), false);
    var added = ToolOutcome.success(task.put(), tasks.used());
    return TaskCall.telling(added, task, tasks.all().size() + 1);
  }
}
