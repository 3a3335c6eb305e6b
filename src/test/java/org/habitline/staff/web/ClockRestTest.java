package org.habitline.staff.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.habitline.RestLine;
import org.habitline.messaging.MessagingLifecycle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Study time over REST: moved while all phones are simulated, refused elsewhere, and never lost.
 */
final class ClockRestTest {

  private static RestLine line;

  @BeforeAll
  static void start() {
    line = RestLine.start(ClockRestTest.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static Instant now() {
    return Instant.parse(line.get("/clock").result().path("now").asText());
  }

  @Test
  void theClockMovesForwardAndStaysThereAfterARestart() {
    var before = now();
    var moved = line.send("POST", "/clock", "{\"advance\":\"1d\"}");
    assertThat(moved.status()).isEqualTo(200);
    assertThat(Duration.between(before, now())).isGreaterThanOrEqualTo(Duration.ofDays(1));
    assertThat(line.rows("SELECT * FROM audit_event WHERE action = 'study clock moved'"))
        .last(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("new_value", moved.result().path("now").asText());
    line.restart();
    assertThat(Duration.between(before, now())).isGreaterThanOrEqualTo(Duration.ofDays(1));
  }

  @Test
  void theFiguresOfTheDayAreThoseOfTheDayThatTheClockWasMovedTo() {
    // A day of its own: what other tests texted belongs to an earlier one.
    assertThat(line.send("POST", "/clock", "{\"advance\":\"1d\"}").status()).isEqualTo(200);
    line.enrolled();
    settled();
    assertThat(line.get("/").response().body())
        .doesNotContain("<strong>0</strong> messages sent today")
        .contains("<strong>0</strong> texts received today");
    // The nudge comes on the way.
    assertThat(line.send("POST", "/clock", "{\"advance\":\"3d\"}").status()).isEqualTo(200);
    settled();
    assertThat(line.get("/").response().body()).contains("<strong>0</strong> messages sent today");
  }

  @Test
  void aPromptPlannedInTheConversationArrivesWhenTheClockGetsThere() {
    var robin = line.enrolled().path("id").asText();
    settled();
    text(robin, "personal");
    text(robin, "while the coffee brews, more energy, at 8:15");
    text(robin, "no more");
    text(robin, "no");
    var schedules = line.get(RestLine.PARTICIPANTS + "/" + robin + "/schedules").result();
    assertThat(schedules.path("schedules")).hasSize(1);
    assertThat(schedules.path("schedules").path(0).path("fixed_time").asText()).isEqualTo("08:15");
    assertThat(line.send("POST", "/clock", "{\"to\":\"next_wakeup\"}").status()).isEqualTo(200);
    assertThat(line.get("/simulator/" + robin + "/texts").result().toString())
        .contains("Did you do it? Reply Done or Next time.");
    assertThat(
            line.get(RestLine.PARTICIPANTS + "/" + robin + "/schedules")
                .result()
                .path("occurrences")
                .findValuesAsText("status"))
        .contains("sent", "planned");
    pagesLeadThroughEveryOccurrence(robin);
    staffRecordWhatCameOfAPrompt(robin);
    assertThat(prompts(robin)).contains("Every day at 08:15; next ");
    line.send("PUT", RestLine.PARTICIPANTS + "/" + robin, "{\"status\":\"paused\"}");
    assertThat(prompts(robin))
        .contains(
            "Every day at 08:15; the next one is not scheduled because the participant gets no messages now")
        .doesNotContain("; next ");
  }

  private static void staffRecordWhatCameOfAPrompt(String robin) {
    var path = RestLine.PARTICIPANTS + "/" + robin;
    var occurrences = line.get(path + "/schedules").result().path("occurrences");
    var dates = new HashMap<String, String>();
    occurrences.forEach(it -> dates.put(it.path("status").asText(), it.path("date").asText()));
    var outcome =
        "{\"date\":\"" + dates.get("sent") + "\",\"outcome\":\"%s\",\"note\":\"by phone\"}";
    var recorded = line.send("PUT", path + "/outcome", outcome.formatted("done"));
    assertThat(recorded.status()).isEqualTo(200);
    assertThat(recorded.result().path("outcome").asText()).isEqualTo("done");
    assertThat(recorded.result().path("asked_at").asText()).isNotEmpty();
    assertThat(successes(path)).isEqualTo(1);
    assertThat(line.send("PUT", path + "/outcome", outcome.formatted("done")).status())
        .isEqualTo(409);
    assertThat(
            line.send(
                    "PUT",
                    path + "/outcome",
                    "{\"date\":\"%s\",\"outcome\":\"done\"}".formatted(dates.get("planned")))
                .message())
        .startsWith("No daily prompt was sent to the participant on this date");
    assertThat(line.send("PUT", path + "/outcome", outcome.formatted("maybe")).message())
        .isEqualTo("outcome: expected one of done, partly, not_done, unknown.");
    assertThat(line.send("PUT", path + "/outcome", "{\"date\":\"yesterday\"}").message())
        .startsWith("date: expected the local date of the prompt");
    assertThat(line.send("PUT", path + "/outcome", outcome.formatted("partly")).status())
        .isEqualTo(200);
    assertThat(successes(path)).isZero();
    assertThat(prompts(robin)).contains(", partly", "Record an outcome");
    assertThat(
            line.send("PUT", path + "/outcome", outcome.formatted("unknown"))
                .result()
                .path("outcome")
                .isMissingNode())
        .isTrue();
    assertThat(
            line.rows("SELECT * FROM outcome_change WHERE participant_id = ? ORDER BY seq", robin))
        .hasSize(3)
        .last(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("recorded_by", "staff")
        .containsEntry("old_outcome", "partly")
        .containsEntry("new_outcome", null)
        .containsEntry("staff_name", "admin")
        .containsEntry("note", "by phone");
    assertThat(line.rows("SELECT * FROM audit_event WHERE action = 'outcome recorded'")).hasSize(3);
  }

  private static int successes(String path) {
    return line.get(path + "/profile").result().path("profile").path("success_count").asInt();
  }

  private static String prompts(String robin) {
    return line.get("/participants/" + robin).response().body();
  }

  private static void pagesLeadThroughEveryOccurrence(String robin) {
    var path = RestLine.PARTICIPANTS + "/" + robin + "/schedules";
    var all = line.get(path).result().path("occurrences").findValuesAsText("date");
    var paged = new ArrayList<String>();
    var next = "";
    do {
      var page = line.get(path + "?limit=1&cursor=" + next);
      paged.addAll(page.result().path("occurrences").findValuesAsText("date"));
      next = page.body().path("next_cursor").asText();
    } while (!next.isEmpty());
    assertThat(paged).hasSizeGreaterThan(1).isEqualTo(all);
    for (var bad : List.of("yesterday", "2026-03-08", "2026-03-08.x")) {
      assertThat(line.get(path + "?cursor=" + bad).message())
          .isEqualTo("cursor: expected the next_cursor of the previous page.");
    }
  }

  private static void text(String id, String words) {
    line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", words)));
    settled();
  }

  private static void settled() {
    await().until(line.bean(MessagingLifecycle.class)::settled);
  }

  @Test
  void whatIsNoMoveGetsASentence() {
    assertThat(line.send("POST", "/clock", "{}").message()).contains("exactly one of advance");
    assertThat(line.send("POST", "/clock", "{\"advance\":\"-1h\"}").message())
        .contains("study time cannot go back");
    assertThat(line.send("POST", "/clock", "{\"to\":\"tomorrow\"}").status()).isEqualTo(400);
  }

  @Test
  void aLineWithAModelAndSimulatedPhonesMovesTime() {
    try (var simulated =
        RestLine.start(ClockRestTest.class, Map.of("openai.base-url", "http://127.0.0.1:1/v1"))) {
      assertThat(simulated.send("POST", "/clock", "{\"advance\":\"1h\"}").status()).isEqualTo(200);
      assertThat(simulated.get("/").response().body()).contains("action=\"/clock");
    }
  }

  @Test
  void aLineWithARealPhoneRefusesToMoveTime() {
    try (var real =
        RestLine.start(
            ClockRestTest.class,
            Map.of(
                "twilio.account-sid", "AC0123456789abcdef0123456789abcdef",
                "twilio.auth-token", "a-token",
                "twilio.api-base-url", "http://127.0.0.1:1",
                "twilio.sms-from", "+15005550006"))) {
      var refused = real.send("POST", "/clock", "{\"advance\":\"1h\"}");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.message())
          .isEqualTo(
              "Study time can be moved only while all phones are simulated; a real phone channel is"
                  + " configured.");
    }
  }
}
