package org.habitline.staff.prompts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;
import static org.habitline.RestLine.write;
import static org.habitline.staff.prompts.ScriptLine.number;
import static org.habitline.staff.prompts.ScriptLine.receiver;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine.Answer;
import org.habitline.llm.openai.Scripted;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What scripts schedule rings once each time, whatever the clocks and the program do. */
final class PromptScheduleTest {

  private static final String BERLIN = "Europe/Berlin";

  private static ScriptLine line;

  @BeforeAll
  static void start() {
    line = ScriptLine.at(PromptScheduleTest.class, "2026-03-27T12:00:00Z");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** What one test scheduled must not ring in another. */
  @AfterEach
  void cancelAll() {
    timers().forEach(timer -> line.rest().send("DELETE", "/timers/" + id(timer), ""));
    line.fake().forget();
  }

  private static JsonNode timers() {
    return line.rest().get("/timers").body().path("timers");
  }

  private static String id(JsonNode timer) {
    return timer.path("id").asText();
  }

  private static Map<String, Object> daily(int hour, int minute) {
    return Map.of("hour", hour, "minute", minute, "timezone", BERLIN);
  }

  /** A time of every minute that stands in no other test's way. */
  private static Map<String, Object> everyMinute() {
    return Map.of();
  }

  private static String created(Answer answer) {
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(201);
    assertThat(answer.message()).isEqualTo("Scheduled successfully");
    assertThat(answer.result().asText()).startsWith("sched_");
    return answer.result().asText();
  }

  private static Instant nextRun(String id) {
    return Instant.parse(line.rest().get("/timers/" + id).body().path("next_run").asText());
  }

  /** Lets it become the time of the next ring, and that ring. */
  private static void ringsNext(String id) {
    line.passes(Duration.between(line.now(), nextRun(id)));
  }

  @Test
  void aTimerIsShownAsInTheOriginal() {
    var answer =
        line.schedule(
            number(), "body", "Good morning.", "schedule", Map.of("hour", 9, "minute", 30));
    var id = created(answer);
    var timer = line.rest().get("/timers/" + id).body();
    assertThat(timer.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            "id", "type", "scheduled_at", "schedule", "next_run", "remaining", "description");
    assertThat(timer.path("type").asText()).isEqualTo("recurring");
    assertThat(timer.path("schedule").toString())
        .isEqualTo("{\"minute\":30,\"hour\":9,\"timezone\":\"UTC\"}");
    assertThat(timer.path("remaining").asText()).matches("([0-9]+h)?([0-9]+m)?([0-9]+s)?");
    assertThat(timer.path("description").asText())
        .isEqualTo("static prompt, every day at 09:30 (UTC)");
    var list = line.rest().get("/timers").body();
    assertThat(list.path("count").asInt()).isEqualTo(1);
    assertThat(list.path("timers").get(0)).isEqualTo(timer);
    var cancelled = line.rest().send("DELETE", "/timers/" + id, "");
    assertThat(cancelled.status()).isEqualTo(200);
    assertThat(cancelled.response().body())
        .isEqualTo(
            "{\"message\":\"Timer cancelled successfully\",\"timerID\":\""
                + id
                + "\",\"canceled\":true}");
    assertThat(line.rest().get("/timers").response().body())
        .isEqualTo("{\"timers\":[],\"count\":0}");
    assertThat(line.rest().get("/timers/" + id).status()).isEqualTo(404);
    assertThat(line.rest().send("DELETE", "/timers/" + id, "").status()).isEqualTo(404);
    assertThat(line.rest().get("/timers/%00").status()).isEqualTo(400);
    assertThat(
            line.column(
                "SELECT action FROM audit_event WHERE participant_id = ? ORDER BY seq",
                receiver(answer)))
        .containsExactly("prompt scheduled", "schedule cancelled");
  }

  /** The clocks of Berlin go forward on 29 March and back on 25 October. */
  @ParameterizedTest
  @CsvSource({
    "2026-03-28T12:00:00Z, 2026-03-29T01:30:00Z, 2026-03-30T00:30:00Z",
    "2026-10-24T12:00:00Z, 2026-10-25T00:30:00Z, 2026-10-26T01:30:00Z"
  })
  void aDayOnWhichTheClocksChangeHasItsPromptOnce(String now, String first, String next) {
    try (var other = ScriptLine.at(PromptScheduleTest.class, now)) {
      var to = number();
      var id = created(other.schedule(to, "body", "Now.", "schedule", daily(2, 30)));
      var minute = Duration.ofMinutes(1);
      other.passes(Duration.between(other.now(), Instant.parse(first)).minus(minute));
      assertThat(other.texts(to)).isEmpty();
      other.passes(minute);
      assertThat(other.texts(to)).hasSize(1);
      other.restart();
      assertThat(other.rest().get("/timers/" + id).body().path("next_run").asText())
          .isEqualTo(next);
      other.passes(Duration.between(other.now(), Instant.parse(next)).minus(minute));
      assertThat(other.texts(to)).hasSize(1);
      other.passes(minute);
      assertThat(other.texts(to)).hasSize(2);
    }
  }

  @Test
  void aRestartNeitherLosesNorDoublesAnything() {
    var to = number();
    var id = created(line.schedule(to, "body", "Now.", "schedule", everyMinute()));
    var first = nextRun(id);
    line.restart();
    assertThat(nextRun(id)).isEqualTo(first);
    ringsNext(id);
    assertThat(line.texts(to)).hasSize(1);
    line.restart();
    line.passes(Duration.ZERO);
    assertThat(line.texts(to)).hasSize(1);
    // Several were due while nobody looked: each comes, in its turn.
    line.passes(Duration.ofMinutes(3));
    await()
        .until(() -> {
          line.passes(Duration.ZERO);
          return nextRun(id).isAfter(line.now());
        });
    assertThat(line.texts(to)).hasSize(4);
    assertThat(nextRun(id)).isEqualTo(first.plus(Duration.ofMinutes(4)));
    assertThat(line.column("SELECT due_at FROM wakeup WHERE guard = ? AND status = 'done'", id))
        .hasSize(4)
        .doesNotHaveDuplicates();
  }

  @Test
  void whatIsTooLateIsLeftOutAndSaidSo() {
    var to = number();
    var id = created(line.schedule(to, "body", "Now.", "schedule", everyMinute()));
    line.passes(Duration.ofHours(30));
    // The next one is due by then, and may have rung already.
    assertThat(line.receipts(to)).startsWith("cancelled");
    assertThat(
            line.column(
                "SELECT reason FROM scripted_text WHERE schedule_id = ? AND status = 'cancelled'",
                id))
        .containsExactly("it was more than 2 h late");
    var tooLate = Timestamp.from(line.now().minus(Duration.ofHours(2)));
    assertThat(line.column("SELECT due_at FROM wakeup WHERE guard = ? AND due_at < ?", id, tooLate))
        .as("none of the others that were too late was planned")
        .hasSize(1);
    assertThat(Duration.between(nextRun(id), line.now())).isLessThanOrEqualTo(Duration.ofHours(2));
  }

  @Test
  void whatRangInTimeIsWorthSendingForADay() {
    var body = "Worth a day.";
    var id = created(line.schedule(number(), "body", body, "schedule", everyMinute()));
    ringsNext(id);
    assertThat(
            line.column(
                "SELECT kind FROM outbox WHERE body = ? AND expires_at = planned_at + INTERVAL '24' HOUR",
                body))
        .containsExactly("scripted");
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void everyTypeIsSentByASchedule(boolean enrolled) {
    var to = enrolled ? line.enrolled().path("phone_number").asText() : number();
    var when = everyMinute();
    var options =
        List.of(Map.of("label", "yes", "body", "Good."), Map.of("label", "no", "body", "Oh."));
    line.fake()
        .otherwise(asked ->
            Scripted.say(asked.texts("system").contains("You write.") ? "Generated." : "Spoken."));
    var genai =
        created(
            line.schedule(
                to,
                "type",
                "genai",
                "system_prompt",
                "You write.",
                "user_prompt",
                "x",
                "schedule",
                when));
    ringsNext(genai);
    line.rest().send("DELETE", "/timers/" + genai, "");
    assertThat(line.texts(to)).endsWith("Generated.");
    var spoken =
        created(
            line.schedule(
                to, "type", "conversation", "user_prompt", "Say something.", "schedule", when));
    ringsNext(spoken);
    line.rest().send("DELETE", "/timers/" + spoken, "");
    assertThat(line.texts(to)).endsWith("Spoken.");
    var branch =
        created(line.schedule(to, "type", "branch", "branch_options", options, "schedule", when));
    ringsNext(branch);
    line.rest().send("DELETE", "/timers/" + branch, "");
    assertThat(line.texts(to)).endsWith("1. yes\n2. no");
    line.hears(to, "NO");
    assertThat(line.texts(to)).endsWith("Oh.");
    var custom = line.schedule(to, "type", "custom", "schedule", when);
    if (enrolled) {
      var id = created(custom);
      var before = line.texts(to).size();
      ringsNext(id);
      assertThat(line.texts(to)).hasSize(before);
      assertThat(line.receipts(to)).endsWith("failed");
    } else {
      assertThat(custom.status()).isEqualTo(400);
    }
    line.fake().otherwise(asked -> Scripted.say("All right."));
  }

  @Test
  void whoeverSaysStopGetsNothingMoreAndComesBackWithStart() {
    var to = number();
    var id = created(line.schedule(to, "body", "Now.", "schedule", everyMinute()));
    ringsNext(id);
    line.hears(to, "STOP");
    ringsNext(id);
    line.hears(to, "START");
    ringsNext(id);
    assertThat(line.texts(to)).hasSize(2);
    assertThat(line.receipts(to)).containsExactly("sent", "cancelled", "sent");
    assertThat(
            line.column(
                "SELECT reason FROM scripted_text WHERE schedule_id = ? AND status = 'cancelled'",
                id))
        .containsExactly("the participant opted out");
  }

  @Test
  void aParticipantWhoIsPausedGetsNothingAndOneWhoIsErasedHasNoTimer() {
    var robin = line.enrolled();
    var to = robin.path("phone_number").asText();
    var at = PARTICIPANTS + "/" + robin.path("id").asText();
    var id = created(line.schedule(to, "body", "Now.", "schedule", everyMinute()));
    line.rest().send("PUT", at, write(Map.of("status", "paused")));
    ringsNext(id);
    assertThat(line.receipts(to)).containsExactly("cancelled");
    line.rest().send("PUT", at, write(Map.of("status", "active")));
    ringsNext(id);
    assertThat(line.texts(to)).endsWith("Now.");
    line.rest().send("DELETE", at, "");
    line.settle();
    assertThat(line.rest().get("/timers/" + id).status()).isEqualTo(404);
    assertThat(line.column("SELECT id FROM wakeup WHERE guard = ?", id)).isEmpty();
  }

  @Test
  void aCancelledScheduleRingsNoMore() {
    var to = number();
    var id = created(line.schedule(to, "body", "Now.", "schedule", everyMinute()));
    ringsNext(id);
    line.rest().send("DELETE", "/timers/" + id, "");
    line.passes(Duration.ofMinutes(5));
    assertThat(line.texts(to)).hasSize(1);
  }

  @Test
  void timersComeInPages() {
    var robin = line.enrolled();
    var first = created(line.schedule(number(), "body", "1", "schedule", daily(3, 0)));
    var second = created(line.schedule(number(), "body", "2", "schedule", daily(4, 0)));
    line.fake()
        .then(
            Scripted.call(
                "transition_state", "{\"target_state\":\"FEEDBACK\",\"delay_minutes\":600}"),
            Scripted.say("Later."));
    line.hears(robin.path("phone_number").asText(), "later");
    var one = line.rest().get("/timers?limit=1").body();
    assertThat(id(one.path("timers").get(0))).isEqualTo(first);
    var two = line.rest().get("/timers?limit=1&cursor=" + one.path("next_cursor").asText()).body();
    assertThat(id(two.path("timers").get(0))).isEqualTo(second);
    var three =
        line.rest().get("/timers?limit=1&cursor=" + two.path("next_cursor").asText()).body();
    var once = three.path("timers").get(0);
    assertThat(once.path("type").asText()).isEqualTo("once");
    assertThat(once.path("expires_at").asText()).isNotEmpty();
    assertThat(once.has("next_run")).isFalse();
    assertThat(line.rest().get("/timers/" + id(once)).body()).isEqualTo(once);
    assertThat(line.rest().send("DELETE", "/timers/" + id(once), "").status()).isEqualTo(200);
    assertThat(line.rest().get("/timers/" + id(once)).status()).isEqualTo(404);
  }

  @Test
  void withoutAScheduleTheLinesOwnCounts() {
    var none = line.schedule(number(), "body", "x");
    assertThat(none.status()).isEqualTo(400);
    assertThat(none.message()).contains("DEFAULT_SCHEDULE");
    try (var other =
        ScriptLine.at(
            PromptScheduleTest.class, "2026-03-27T12:00:00Z", "default-schedule", "09:30")) {
      var robin = other.enrolled();
      var id = created(other.schedule(robin.path("phone_number").asText(), "body", "x"));
      assertThat(other.rest().get("/timers/" + id).body().path("schedule").toString())
          .isEqualTo("{\"minute\":30,\"hour\":9,\"timezone\":\"Europe/Berlin\"}");
      other.hears(robin.path("phone_number").asText(), "hello");
      assertThat(other.fake().asked().getFirst().texts("system").getFirst().replaceAll("\\s+", " "))
          .as("the coach is told the same")
          .contains("fixed at 09:30, the usual time")
          .doesNotContain("11:15", "{{");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"minute\":60}                       | schedule.minute: expected a whole number from 0 to 59",
        "{\"hour\":-1}                         | schedule.hour: expected a whole number from 0 to 23",
        "{\"day\":0}                           | schedule.day: expected a whole number from 1 to 31",
        "{\"month\":13}                        | schedule.month: expected a whole number from 1 to 12",
        "{\"weekday\":7}                       | schedule.weekday: expected a whole number from 0 to 6",
        "{\"day\":31,\"month\":2}              | schedule: day 31 of month 2 does not exist",
        "{\"minute\":9.5}                      | schedule.minute: expected a whole number",
        "{\"minute\":\"9\"}                    | schedule.minute: expected a whole number",
        "{\"minute\":99999999999999}           | schedule.minute: expected a whole number",
        "{\"timezone\":\"Mars/Base\"}          | schedule.timezone",
      })
  void aScheduleThatCannotBeIsA400(String schedule, String sentence) {
    var answer =
        line.rest()
            .send(
                "POST",
                "/schedule",
                "{\"to\":\"" + number() + "\",\"body\":\"x\",\"schedule\":" + schedule + "}");
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(400);
    assertThat(answer.message()).startsWith(sentence);
  }
}
