package org.habitline.staff.participant;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.habitline.RestLine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Daily prompts changed over HTTP and on the page: what is refused, what is written down. */
final class SchedulesRestTest {

  private static RestLine line;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
  }

  private static String robin() {
    return RestLine.PARTICIPANTS + "/" + line.enrolled().path("id").asText();
  }

  private static String added(String robin) {
    return robin
        + "/schedules/"
        + line.send("POST", robin + "/schedules", "{\"time\":\"9:30\"}")
            .result()
            .path("id")
            .asText();
  }

  @Test
  void aScheduleIsAddedChangedAndEndedAndEachIsAudited() {
    var robin = robin();
    var made = line.send("POST", robin + "/schedules", "{\"time\":\"9:30\"}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.result().path("time").asText()).isEqualTo("09:30");
    var changed =
        line.send(
            "PUT",
            robin + "/schedules/" + made.result().path("id").asText(),
            "{\"window_start\":\"10:00\",\"window_end\":\"11:00\",\"reason\":\"prefers a surprise\"}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.result().path("window_end").asText()).isEqualTo("11:00");
    var one = robin + "/schedules/" + changed.result().path("id").asText();
    assertThat(line.get(robin + "/schedules").result().path("schedules")).hasSize(1);
    assertThat(line.send("DELETE", one, "").status()).isEqualTo(200);
    assertThat(line.send("DELETE", one, "").status()).isEqualTo(404);
    assertThat(line.get(robin + "/schedules").result().path("schedules")).isEmpty();
    assertThat(
            line
                .rows(
                    "SELECT action, new_value, reason FROM audit_event WHERE participant_id = ? AND action LIKE 'schedule %' ORDER BY seq",
                    robin.substring(robin.lastIndexOf('/') + 1))
                .stream()
                .map(row -> row.get("action") + ": " + row.get("new_value")))
        .containsExactly(
            "schedule added: 09:30", "schedule changed: 10:00-11:00", "schedule ended: null");
  }

  @Test
  void aSkippedDayIsListedAndUndone() {
    var robin = robin();
    var one = added(robin);
    var date =
        line.get(robin + "/schedules").result().path("occurrences").get(0).path("date").asText();
    assertThat(line.send("PUT", one + "/skips/" + date, "").status()).isEqualTo(200);
    assertThat(
            line.get(robin + "/schedules").result().path("occurrences").findValuesAsText("status"))
        .containsExactlyInAnyOrder("planned", "skipped");
    assertThat(line.send("PUT", one + "/skips/" + date, "").status()).isEqualTo(409);
    assertThat(line.send("DELETE", one + "/skips/" + date, "").status()).isEqualTo(200);
    assertThat(line.send("DELETE", one + "/skips/" + date, "").status()).isEqualTo(409);
  }

  @Test
  void whatIsNotAcceptedIsSaidBesideItsField() {
    var robin = robin();
    var one = added(robin);
    for (var refused :
        List.of(
            List.of("{}", "time: give one time"),
            List.of("{\"time\":\"25:00\"}", "time: expected a time"),
            List.of("{\"time\":\"9:00\",\"window_start\":\"8:00\"}", "time: give one time"),
            List.of("{\"window_start\":\"8:00\"}", "window_end: missing"),
            List.of(
                "{\"window_start\":\"8:00\",\"window_end\":\"7:00\"}", "window_end: expected"))) {
      var answer = line.send("PUT", one, refused.getFirst());
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.message()).startsWith(refused.getLast());
    }
    assertThat(line.send("PUT", one, "{\"time\":\"9:30\"}").status()).isEqualTo(409);
    assertThat(line.send("POST", robin + "/schedules", "{\"time\":\"10:00\"}").message())
        .contains("allows no more");
    assertThat(line.send("PUT", one + "/skips/2020-01-01", "").message())
        .startsWith("date: expected a date of the participant from ");
    assertThat(line.send("PUT", robin + "/schedules/sch_0", "{\"time\":\"9:00\"}").message())
        .contains("at 09:30");
  }

  @Test
  void thePageChangesTheTimeAndShowsARefusalBesideItsField() {
    var robin = robin();
    var _ = added(robin);
    var page = robin.replace("/conversation", "") + "/schedules";
    var shown = line.get(page).response().body();
    assertThat(shown).contains("Every day at 09:30").contains("Skip");
    var form = schedule(shown);
    var refused = posted(form, "time=9");
    assertThat(refused.response().body()).contains("id=\"error-time\"").contains("value=\"9\"");
    var saved = posted(form, "time=10:15");
    assertThat(saved.status()).isEqualTo(303);
    assertThat(line.get(page).response().body()).contains("Every day at 10:15");
  }

  @Test
  void anEnteredTimeReplacesTheWindowOfThePageAndItsButtonsDoWhatTheySay() {
    var robin = robin();
    var page = robin.replace("/conversation", "") + "/schedules";
    assertThat(posted(page, "time=&window_start=08:00&window_end=10:00").status()).isEqualTo(303);
    var shown = line.get(page).response().body();
    assertThat(shown)
        .contains("name=\"was_start\" value=\"08:00\"")
        // A form without any field sends no body, which is refused.
        .containsPattern(
            "(?s)/end\" class=\"stack-sm\">[^<]*<p>[^<]*</p>\\s*<div[^>]*><label[^>]*>[^<]*</label><input[^>]* name=\"reason\"");
    var windowOfThePage =
        "&window_start=08:00&window_end=10:00&was_time=&was_start=08:00&was_end=10:00";
    assertThat(posted(schedule(shown), "time=09:15" + windowOfThePage).status()).isEqualTo(303);
    var changed = line.get(page).response().body();
    assertThat(changed).contains("Every day at 09:15");
    assertThat(posted(schedule(changed) + "/end", "reason=").status()).isEqualTo(303);
    assertThat(line.get(robin + "/schedules").result().path("schedules")).isEmpty();
  }

  private static String schedule(String page) {
    return page.replaceFirst(
        "(?s).*action=\"(/participants/[^\"]*/schedules/sch_[^\"/]*)\".*", "$1");
  }

  private static RestLine.Answer posted(String path, String form) {
    return line.post(path, "application/x-www-form-urlencoded", form.getBytes(UTF_8));
  }
}
