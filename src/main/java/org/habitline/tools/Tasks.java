package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A participant's tasks (seed 001), each a record of kind {@code task}. Immutable.
 *
 * <p>The number of the next task is a record too, so that no id is used again after a deletion and
 * a turn that is resumed gives the same ids.
 *
 * @param all the tasks, oldest first
 * @param next the id of the next task
 */
record Tasks(List<Task> all, long next) {

  /** The most tasks of one participant. */
  static final int MOST = 200;

  private static final String KIND = "task";
  private static final Records.Key COUNTER = new Records.Key(Records.COUNTER, KIND);
  private static final String NEXT = "next";
  private static final String TITLE = "title";
  private static final String COMPLETED = "completed";

  /** One task. */
  record Task(long id, String title, boolean completed) {

    ObjectNode json() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("id", id)
          .put(TITLE, title)
          .put(COMPLETED, completed);
    }

    Effect.RecordChange put() {
      return new Effect.PutRecord(key(), json().toString());
    }

    Effect.RecordChange delete() {
      return new Effect.DeleteRecord(key());
    }

    private Records.Key key() {
      return new Records.Key(KIND, Long.toString(id));
    }

    private static Task of(Records.Entry record) {
      return new Task(
          Long.parseLong(record.id()),
          record.json().path(TITLE).asText(),
          record.json().path(COMPLETED).asBoolean());
    }
  }

  Tasks {
    all = List.copyOf(all);
  }

  /**
   * Returns the tasks as the turn would leave them now.
   *
   * @throws IllegalStateException if one of them is not JSON
   */
  static Tasks of(WorkingCopy copy) {
    var all = copy.records().list(KIND).stream().map(Task::of).toList();
    var free = all.isEmpty() ? 1 : all.getLast().id() + 1;
    var counted = copy.records().get(COUNTER).map(counter -> counter.path(NEXT).asLong());
    return new Tasks(all, Math.max(free, counted.orElse(1L)));
  }

  Optional<Task> find(long id) {
    return all.stream().filter(task -> task.id() == id).findFirst();
  }

  /** Returns the change that keeps the id of the next task from being used again. */
  Effect.RecordChange used() {
    JsonNode counter = JsonNodeFactory.instance.objectNode().put(NEXT, next + 1);
    return new Effect.PutRecord(COUNTER, counter.toString());
  }

  static ArrayNode json(Collection<Task> tasks) {
    var list = JsonNodeFactory.instance.arrayNode();
    tasks.forEach(task -> list.add(task.json()));
    return list;
  }
}
