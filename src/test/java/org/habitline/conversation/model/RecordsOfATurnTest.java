package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.RunningLine;
import org.habitline.conversation.ConversationFlow;
import org.habitline.conversation.stored.RecordReader;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the tools of a turn keep of a participant: tasks, as seed 001 has them. */
final class RecordsOfATurnTest {

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(RecordsOfATurnTest.class)
            .flow(habit ->
                habit
                    .replace(
                        "flag_for_staff]",
                        "flag_for_staff, add_task, list_tasks, complete_task, update_task,"
                            + " delete_task]")
                    .replace("max_iterations: 10 ", "max_iterations: 30 ")
                    .replace("parallel_tool_calls: false", "parallel_tool_calls: true"))
            .start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void theModelWasAskedByTheRules() {
    assertThat(line.fake().violations()).isEmpty();
    line.fake().forget();
  }

  private static Call call(Participant user, String tool, String others) {
    return new Call(null, tool, "{\"user_id\":\"%s\"%s}".formatted(user.id(), others));
  }

  private static Call add(Participant user, String title) {
    return call(user, "add_task", ",\"title\":\"%s\"".formatted(title));
  }

  private static Call delete(Participant user, int id) {
    return call(user, "delete_task", ",\"task_id\":%d".formatted(id));
  }

  private static Call list(Participant user) {
    return call(user, "list_tasks", ",\"status\":\"all\"");
  }

  private static Scripted calls(Stream<Call> calls) {
    var numbered = calls.toArray(Call[]::new);
    for (int i = 0; i < numbered.length; i++) {
      numbered[i] = new Call("call_" + i, numbered[i].name(), numbered[i].arguments());
    }
    return Scripted.calls(numbered);
  }

  private static Scripted calls(Call... calls) {
    return calls(Stream.of(calls));
  }

  /** The results that the model was told in a turn, in order. */
  private static List<JsonNode> told(Participant participant, int turn) {
    return line.iterations(participant, turn).iterations().stream()
        .flatMap(iteration -> iteration.toolCalls().stream())
        .map(call -> TurnJson.tree(Objects.requireNonNull(call.result()).toString()))
        .toList();
  }

  private static List<String> stored(Participant participant) {
    return line
        .bean(RecordReader.class)
        .byKind(participant.id())
        .getOrDefault("task", List.of())
        .stream()
        .map(record -> record.json().toString())
        .toList();
  }

  private static String task(int id, String title, boolean completed) {
    return "{\"id\":%d,\"title\":\"%s\",\"completed\":%s}".formatted(id, title, completed);
  }

  private static Participant withTwelveTasks() {
    var ada = line.greeted();
    line.fake()
        .then(
            calls(IntStream.rangeClosed(1, 12).mapToObj(n -> add(ada, "Task " + n))),
            Scripted.say("I noted twelve tasks."));
    line.answered(ada, "remember these twelve");
    assertThat(stored(ada))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, 12).mapToObj(n -> task(n, "Task " + n, false)).toList());
    line.fake().forget();
    return ada;
  }

  @Test
  void twelveTasksAreDeletedInOneTurnAndTheCountsAreThoseOfTheDatabase() {
    var ada = withTwelveTasks();
    line.fake()
        .then(
            calls(list(ada)),
            calls(IntStream.rangeClosed(1, 12).mapToObj(n -> delete(ada, n))),
            calls(list(ada)),
            Scripted.say("I deleted all 12 tasks. Your list is empty."));
    line.answered(ada, "delete all my tasks");
    var told = told(ada, 3);
    assertThat(told).hasSize(14);
    assertThat(told.getFirst().path("count").intValue()).isEqualTo(12);
    assertThat(told.getFirst().path("tasks")).hasSize(12);
    assertThat(told.subList(1, 13))
        .extracting(result -> result.path("count").intValue())
        .containsExactly(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    assertThat(told.getLast()).hasToString("{\"status\":\"success\",\"count\":0,\"tasks\":[]}");
    assertThat(stored(ada)).isEmpty();
    assertThat(line.phone(ada).getLast()).startsWith("I deleted all 12 tasks.");
  }

  @Test
  void noIdIsUsedAgainInALaterTurn() {
    var ada = withTwelveTasks();
    line.fake().then(calls(delete(ada, 12), delete(ada, 3)), Scripted.say("Two are gone."));
    line.answered(ada, "drop 3 and 12");
    line.fake().then(calls(add(ada, "Another"), list(ada)), Scripted.say("Noted."));
    line.answered(ada, "and note another");
    assertThat(stored(ada)).hasSize(11).doesNotContain(task(3, "Task 3", false));
    assertThat(stored(ada).getLast()).isEqualTo(task(13, "Another", false));
    assertThat(told(ada, 4).getLast().path("count").intValue()).isEqualTo(11);
  }

  @Test
  void aRecordKeepsTheTimeWhenItWasStoredFirst() {
    var ada = withTwelveTasks();
    var first = line.study().instant();
    line.study().advance(Duration.ofMinutes(7));
    line.fake()
        .then(calls(call(ada, "complete_task", ",\"task_id\":2")), Scripted.say("Well done."));
    line.answered(ada, "2 is done");
    var records = line.bean(RecordReader.class).byKind(ada.id());
    assertThat(records).containsOnlyKeys("counter", "task");
    var tasks = records.getOrDefault("task", List.of());
    var changed = tasks.get(1);
    assertThat(changed.json()).hasToString(task(2, "Task 2", true));
    assertThat(List.of(changed.createdAt(), changed.updatedAt()))
        .containsExactly(first, first.plus(Duration.ofMinutes(7)));
    assertThat(tasks.get(2).updatedAt()).isEqualTo(first);
  }

  @Test
  void everyoneHasTasksOfTheirOwn() {
    var ada = withTwelveTasks();
    var sam = line.greeted();
    line.fake()
        .then(
            calls(
                list(sam),
                list(ada),
                delete(ada, 1),
                delete(sam, 1),
                add(ada, "For someone else"),
                add(sam, "My own")),
            Scripted.say("I noted it."));
    line.answered(sam, "note my own");
    var told = told(sam, 2);
    assertThat(told.getFirst().path("count").intValue()).isZero();
    assertThat(told)
        .extracting(result -> result.path("status").asText() + " " + result.path("field").asText())
        .containsExactly(
            "success ",
            "error user_id",
            "error user_id",
            "error task_id",
            "error user_id",
            "success ");
    assertThat(stored(sam)).containsExactly(task(1, "My own", false));
    assertThat(stored(ada)).hasSize(12);
  }

  @Test
  void aTurnThatIsResumedLeadsToTheSameTasksExactlyOnce() {
    var ada = withTwelveTasks();
    var latch = new CountDownLatch(1);
    line.fake()
        .then(
            calls(add(ada, "Another"), delete(ada, 12), delete(ada, 1), add(ada, "A last one")),
            Scripted.say("nobody hears this").heldBy(latch));
    line.text(ada, "change them");
    await().pollInterval(Duration.ofMillis(5)).until(() -> line.fake().asked().size() == 2);
    assertThat(stored(ada)).as("nothing is written before the turn commits").hasSize(12);
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    line.fake().then(calls(list(ada)), Scripted.say("I changed them."));
    line.bean(ConversationFlow.class).handle(ada.id());
    assertThat(line.awaitTurn(ada, 3)).containsEntry("attempts", 2);
    assertThat(line.fake().asked().get(2).body()).isEqualTo(line.fake().asked().get(1).body());
    var expected =
        Stream.concat(
                IntStream.rangeClosed(2, 11).mapToObj(n -> task(n, "Task " + n, false)),
                Stream.of(task(13, "Another", false), task(14, "A last one", false)))
            .toList();
    assertThat(told(ada, 3).getLast().path("tasks"))
        .extracting(JsonNode::toString)
        .containsExactlyElementsOf(expected);
    assertThat(stored(ada)).containsExactlyElementsOf(expected);
    latch.countDown();
  }

  @Test
  void tasksAreKeptWhenTheReplyIsMissing() {
    var ada = line.greeted();
    line.fake().then(calls(add(ada, "Kept")), Scripted.status(401));
    assertThat(line.answered(ada, "note it")).containsEntry("outcome", "model_failed");
    assertThat(stored(ada)).containsExactly(task(1, "Kept", false));
  }

  @Test
  void anErasureDeletesTheRecords() {
    var ada = withTwelveTasks();
    var sam = withTwelveTasks();
    var participants = line.bean(Participants.class);
    // A participant who opted out gets no last message, so the erasure does not wait for one.
    participants.optOut(ada.id(), OptOutSource.KEYWORD);
    participants.leave(ada.id(), true);
    assertThat(line.rows("SELECT * FROM record WHERE participant_id = ?", ada.id())).isEmpty();
    assertThat(stored(sam)).hasSize(12);
  }
}
