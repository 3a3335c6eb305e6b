package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/** Lists the participant's tasks as the turn would leave them now (seed 001). Changes nothing. */
@Singleton
final class ListTasks implements Tool {

  private static final String STATUS = "status";
  private static final String ALL = "all";
  private static final String COMPLETED = "completed";
  private static final List<String> STATUSES = List.of(ALL, "pending", COMPLETED);

  @Override
  public String name() {
    return "list_tasks";
  }

  @Override
  public boolean runsOutsideTurns() {
    return true;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Lists the tasks, oldest first. Call it before you say anything about tasks, and again after"
            + " you changed several.",
        TaskCall.schema().optionalChoice(STATUS, "Which tasks; null lists all.", STATUSES).done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var call = new TaskCall(run, given, STATUS);
    var status = call.arguments().choice(STATUS, STATUSES).orElse(ALL);
    if (call.refusal().isPresent()) {
      return call.refusal().get();
    }
    var listed =
        call.tasks().all().stream()
            .filter(task -> status.equals(ALL) || task.completed() == status.equals(COMPLETED))
            .toList();
    var outcome = ToolOutcome.success();
    outcome.result().put("count", listed.size()).set("tasks", Tasks.json(listed));
    return outcome;
  }
}
