package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.tools.Tasks.Task;

/**
 * Reads the arguments that the task tools share. The first error is kept as the {@link #refusal},
 * which a tool checks before it decides anything.
 */
final class TaskCall {

  static final String TASK_ID = "task_id";
  static final String TITLE = "title";

  private static final String USER_ID = "user_id";
  private static final int LONGEST_USER_ID = 200;
  private static final int LONGEST_TITLE = 500;

  /** How many ids a refusal lists. */
  private static final int MOST_IDS = 50;

  private final Arguments arguments;
  private final Tasks tasks;

  /**
   * Reads a call and refuses it if it is for anyone but the participant.
   *
   * @param others the arguments of the schema after {@code user_id}
   */
  TaskCall(ToolRun run, ObjectNode given, String... others) {
    this.arguments =
        new Arguments(
            given, Stream.concat(Stream.of(USER_ID), Stream.of(others)).toList(), List.of());
    this.tasks = Tasks.of(run.copy());
    var owner = run.participant().id();
    if (!arguments.text(USER_ID, LONGEST_USER_ID).filter(owner::equals).isPresent()) {
      arguments.refuse(
          USER_ID, "Only this participant's own id is accepted; nothing changed.", List.of(owner));
    }
  }

  /** Returns a schema that begins with the participant's id. */
  static StrictSchema schema() {
    return new StrictSchema()
        .text(USER_ID, "The participant's id; no other is accepted.", LONGEST_USER_ID);
  }

  /** Returns a schema of the participant's id and the id of one of their tasks. */
  static StrictSchema schemaOfOne() {
    return schema().wholeNumber(TASK_ID, "The id of the task, as list_tasks shows it.");
  }

  static StrictSchema withTitle(StrictSchema schema, String description) {
    return schema.text(TITLE, description, LONGEST_TITLE);
  }

  Arguments arguments() {
    return arguments;
  }

  Tasks tasks() {
    return tasks;
  }

  Optional<ToolOutcome> refusal() {
    return arguments.refusal();
  }

  Optional<String> title() {
    return arguments.requiredText(TITLE, LONGEST_TITLE);
  }

  /** Returns the task that the call names; refuses the call if the participant has none such. */
  Optional<Task> task() {
    var id = arguments.wholeNumber(TASK_ID);
    var task = id.isPresent() ? tasks.find(id.getAsLong()) : Optional.<Task>empty();
    if (task.isEmpty()) {
      arguments.refuse(TASK_ID, whyNot(id.isPresent()), ids());
    }
    return task;
  }

  private String whyNot(boolean given) {
    var why = given ? "There is no task with this id." : "This argument is required.";
    var count = tasks.all().size();
    if (count == 0) {
      return why + " There are no tasks.";
    }
    return count > MOST_IDS
        ? why + " The first %d of %d ids are listed.".formatted(MOST_IDS, count)
        : why;
  }

  private List<String> ids() {
    return tasks.all().stream().limit(MOST_IDS).map(task -> Long.toString(task.id())).toList();
  }

  /** Adds the task and the number of tasks after the call to what the model is told. */
  static ToolOutcome telling(ToolOutcome outcome, Task task, int count) {
    outcome.result().put("count", count).set("task", task.json());
    return outcome;
  }
}
