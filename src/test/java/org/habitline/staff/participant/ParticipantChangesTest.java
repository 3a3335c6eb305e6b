package org.habitline.staff.participant;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.habitline.LockHolder;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.Rows;
import org.habitline.timers.Schedules;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The profile, notes and the timeline of a participant, over HTTP and on the pages. */
final class ParticipantChangesTest {

  private static RestLine line;
  private static String staff;
  private static String viewer;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
    staff = line.key("Kim", "staff");
    viewer = line.key("Vic", "viewer");
  }

  private static String robin() {
    return RestLine.PARTICIPANTS + "/" + line.enrolled().path("id").asText();
  }

  private static String page(String robin) {
    return robin.replace("/conversation", "");
  }

  private static String id(String robin) {
    return robin.substring(robin.lastIndexOf('/') + 1);
  }

  private static Answer form(String path, Map<String, String> fields) {
    return line.postAs(
        staff,
        path,
        "application/x-www-form-urlencoded",
        fields.entrySet().stream()
            .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), UTF_8))
            .collect(Collectors.joining("&"))
            .getBytes(UTF_8));
  }

  private static List<String> audited(String robin, String action) {
    return line
        .rows(
            "SELECT actor, subject, old_value, new_value FROM audit_event WHERE participant_id = ?"
                + " AND action = ? ORDER BY seq",
            id(robin),
            action)
        .stream()
        .map(row -> row.get("actor") + ": " + row.get("old_value") + " -> " + row.get("new_value"))
        .toList();
  }

  @Test
  void aProfileIsChangedOverRestAndEachChangeIsAudited() {
    var robin = robin();
    var saved =
        line.sendAs(
            staff,
            "PUT",
            robin + "/profile",
            "{\"fields\":{\"prompt_anchor\":\"after lunch\",\"confidence\":7,"
                + "\"coping_plan\":\"if it rains, indoors\"},\"reason\":\"on the phone\"}");
    assertThat(saved.status()).isEqualTo(200);
    assertThat(saved.result().path("changed"))
        .extracting(it -> it.asText())
        .containsExactly("prompt_anchor", "coping_plan", "confidence");
    var profile = line.get(robin + "/profile").result();
    assertThat(profile.at("/profile/confidence").asInt()).isEqualTo(7);
    assertThat(profile.at("/profile/coping_plan/0/text").asText())
        .isEqualTo("if it rains, indoors");
    assertThat(profile.at("/changes/0/changed_by").asText()).isEqualTo("Kim");
    assertThat(profile.at("/changes/0").has("turn")).isFalse();
    assertThat(audited(robin, "profile changed"))
        .contains("Kim: null -> after lunch", "Kim: null -> 7");
    assertThat(
            line.sendAs(
                    staff,
                    "PUT",
                    robin + "/profile",
                    "{\"fields\":{\"confidence\":null,\"prompt_anchor\":\"after lunch\"}}")
                .result()
                .path("changed"))
        .extracting(it -> it.asText())
        .containsExactly("confidence");
    // PostgreSQL stores no NUL character.
    var unusual =
        line.sendAs(
            staff,
            "PUT",
            robin + "/profile",
            "{\"fields\":{\"prompt_anchor\":\"at\\u0000 noon\",\"coping_plan\":[{\"date\":\"2026-01-02\","
                + "\"text\":\"ask\\u0000\"}]}}");
    assertThat(unusual.status()).as(unusual.message()).isEqualTo(200);
    assertThat(line.get(robin + "/profile").result().at("/profile/prompt_anchor").asText())
        .isEqualTo("at noon");
    for (var refused :
        List.of(
            "{\"fields\":{\"confidence\":\"7\\u0000\"}}",
            "{\"fields\":{\"a\\u0000\":7}}",
            "{\"fields\":{\"habit_domain\":\"running\"},\"reason\":\"so\\u0000\"}",
            "{\"fields\":{\"coping_plan\":[{\"date\":\"2026-01-02\\u0000\",\"text\":\"ask\"}]}}")) {
      assertThat(line.sendAs(staff, "PUT", robin + "/profile", refused).status())
          .as(refused)
          .isEqualTo(400);
    }
  }

  @Test
  void oneWrongFieldRefusesTheWholeChange() {
    var robin = robin();
    for (var refused :
        List.of(
            List.of("{}", "fields: missing"),
            List.of("{\"fields\":{\"nothing\":\"x\"}}", "fields: unknown field; expected one of"),
            List.of("{\"fields\":{\"confidence\":11}}", "fields.confidence: A whole number from 0"),
            List.of(
                "{\"fields\":{\"intensity\":\"extreme\",\"habit_domain\":\"walking\"}}",
                "fields.intensity: This is not one of the valid values"),
            List.of(
                "{\"fields\":{\"coping_plan\":[{\"date\":\"soon\",\"text\":\"rest\"}]}}",
                "fields.coping_plan: The date"))) {
      var answer = line.sendAs(staff, "PUT", robin + "/profile", refused.getFirst());
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.message()).startsWith(refused.getLast());
    }
    assertThat(line.get(robin + "/profile").result().path("changes")).isEmpty();
    assertThat(line.sendAs(viewer, "PUT", robin + "/profile", "{\"fields\":{}}").status())
        .isEqualTo(403);
  }

  @Test
  void thePageKeepsWhatWasEnteredBesideItsProblemAndSetsAValueBack() {
    var robin = robin();
    var path = page(robin) + "/profile";
    var shown = line.get(path).response().body();
    assertThat(shown).contains("Needed for a daily prompt.").contains("If empty: normal.");
    var wrong = form(path, Map.of("fields.confidence", "eleven", "fields.habit_domain", "walking"));
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body())
        .contains("id=\"error-fields.confidence\"")
        .contains("value=\"eleven\"")
        .contains(">walking</textarea>");
    assertThat(
            form(
                    path,
                    Map.of(
                        "fields.confidence", "7", "fields.coping_plan", "rest\r\n2026-01-02: ask"))
                .status())
        .isEqualTo(303);
    var saved = line.get(path).response().body();
    assertThat(saved).contains("2026-01-02: ask</textarea>").contains("<bdi>Kim</bdi>");
    var change =
        String.valueOf(
            line.rows(
                    "SELECT seq FROM profile_change WHERE participant_id = ? AND field = 'confidence'",
                    id(robin))
                .getFirst()
                .get("seq"));
    assertThat(form(path + "/restore", Map.of("change", change)).status()).isEqualTo(303);
    assertThat(line.get(robin + "/profile").result().path("profile").has("confidence")).isFalse();
    assertThat(line.sendAs(viewer, "GET", page(robin), "").response().body())
        .doesNotContain("Change profile");
  }

  /** Whoever writes about a participant waits for an erasure that is committing, and sees it. */
  @Test
  void noNoteAndNoTagIsStoredAboutSomebodyWhoseErasureBeganMeanwhile() throws Exception {
    staysBare("POST", "/notes", "{\"text\":\"Prefers calls.\"}");
    staysBare("PUT", "/tags/late", "");
  }

  private static void staysBare(String method, String path, String body) throws Exception {
    var robin = robin();
    try (var erasure = LockHolder.of(line);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      // As an erasure does: the address is locked first.
      erasure.update(
          "UPDATE address SET phone = phone WHERE id = (SELECT address_id FROM participant WHERE id = ?)",
          id(robin));
      erasure.update("UPDATE participant SET erasing = 'all' WHERE id = ?", id(robin));
      var answer = threads.submit(() -> line.send(method, robin + path, body));
      erasure.awaitWaiting();
      erasure.commit();
      assertThat(answer.get().status()).as(path).isEqualTo(404);
    }
    assertThat(line.rows("SELECT 1 FROM staff_note WHERE participant_id = ?", id(robin))).isEmpty();
    assertThat(line.rows("SELECT 1 FROM participant_tag WHERE participant_id = ?", id(robin)))
        .isEmpty();
  }

  @Test
  void notesAreForStaffAndOnlyTheirAuthorOrAnAdminChangesThem() {
    var robin = robin();
    var added =
        line.sendAs(
            staff, "POST", robin + "/notes", "{\"text\":\"Prefers calls.\\nNot before 9.\"}");
    assertThat(added.status()).isEqualTo(201);
    var note = robin + "/notes/" + added.result().path("id").asText();
    var other = line.key("Lee " + id(robin), "staff");
    assertThat(line.sendAs(other, "PUT", note, "{\"text\":\"mine now\"}").status()).isEqualTo(403);
    assertThat(line.sendAs(other, "DELETE", note, "").status()).isEqualTo(403);
    assertThat(line.sendAs(viewer, "GET", robin + "/notes", "").status()).isEqualTo(403);
    assertThat(line.sendAs(staff, "PUT", note, "{\"text\":\"Prefers texts.\"}").status())
        .isEqualTo(200);
    var listed = line.get(robin + "/notes").result().get(0);
    assertThat(listed.path("text").asText()).isEqualTo("Prefers texts.");
    assertThat(listed.path("author").asText()).isEqualTo("Kim");
    assertThat(listed.path("edited_by").asText()).isEqualTo("Kim");
    assertThat(line.send("DELETE", note, "").status()).isEqualTo(200);
    assertThat(line.send("DELETE", note, "").status()).isEqualTo(404);
    assertThat(line.get(robin + "/notes").result()).isEmpty();
    var once = "{\"text\":\"Call before noon.\"}";
    var first = line.send("POST", robin + "/notes", once, "Idempotency-Key", "note once");
    var again = line.send("POST", robin + "/notes", once, "Idempotency-Key", "note once");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.result()).isEqualTo(first.result());
    assertThat(line.get(robin + "/notes").result()).hasSize(1);
    assertThat(audited(robin, "note added"))
        .containsExactly("Kim: null -> 28 characters", "admin: null -> 17 characters");
    assertThat(audited(robin, "note removed")).hasSize(1);
    assertThat(line.rows("SELECT * FROM audit_event WHERE new_value LIKE '%Prefers%'")).isEmpty();
  }

  @Test
  void theWordsOfANoteThatWasEditedOrRemovedLeaveTheStoredReplyToo() {
    var robin = robin();
    var stored = "SELECT response FROM idempotency WHERE response LIKE '%Eats alone.%'";
    for (var change : List.of("PUT", "DELETE")) {
      var key = new String[] {"Idempotency-Key", change + id(robin)};
      var words = "{\"text\":\"Eats alone.\"}";
      var note = line.send("POST", robin + "/notes", words, key).result().path("id").asText();
      line.send("POST", robin + "/notes", words, "Idempotency-Key", "another for " + change);
      assertThat(line.rows(stored)).hasSize(2);
      var changed =
          line.send(
              change, robin + "/notes/" + note, change.equals("PUT") ? "{\"text\":\"Eats.\"}" : "");
      assertThat(changed.status()).isEqualTo(200);
      assertThat(line.rows(stored)).hasSize(1);
      var again = line.send("POST", robin + "/notes", words, key);
      assertThat(again.status()).isEqualTo(410);
      assertThat(again.message()).contains("has since been erased, edited or removed");
      line.get(robin + "/notes")
          .result()
          .forEach(left -> line.send("DELETE", robin + "/notes/" + left.path("id").asText(), ""));
      assertThat(line.rows(stored)).isEmpty();
    }
  }

  @Test
  void aNoteThatIsRefusedStaysInItsForm() {
    var robin = robin();
    var path = page(robin) + "/notes";
    var tooLong = "x".repeat(4001);
    var refused = form(path, Map.of("text", tooLong));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body()).contains("id=\"error-note-new\"").contains(tooLong);
    assertThat(form(path, Map.of("text", "Called back.")).status()).isEqualTo(303);
    assertThat(line.get(page(robin)).response().body()).contains("Called back.");
    assertThat(line.sendAs(viewer, "GET", page(robin), "").response().body())
        .doesNotContain("Called back.");
    for (var i = 0; i < 2; i++) {
      assertThat(form(path, Map.of("text", "Again " + i)).status()).isEqualTo(303);
    }
    var first = line.get(robin + "/notes?limit=2");
    assertThat(first.result()).hasSize(2);
    assertThat(
            line.get(robin + "/notes?limit=2&cursor=" + first.body().path("next_cursor").asText())
                .result())
        .extracting(it -> it.path("text").asText())
        .containsExactly("Called back.");
  }

  @Test
  void theTimelineTellsEventsOfOneTimeInTheOrderOfTheirCauseAndWhyPromptsWereStopped() {
    var robin = robin();
    var id = id(robin);
    var at = Instant.now().minusSeconds(60);
    var rows = Rows.of(line);
    rows.prompt(
        new Rows.Prompt(
            id, "2026-01-05", "sent", at.minusSeconds(180), null, at.minusSeconds(180), at, true));
    rows.write(
        "INSERT INTO outcome_change (participant_id, local_date, slot, new_outcome, recorded_by, recorded_at)"
            + " VALUES (?, '2026-01-05', 1, 'done', 'rule', ?)",
        id,
        at);
    var _ = line.sendAs(staff, "POST", robin + "/schedules", "{\"time\":\"9:30\"}");
    var schedule = line.rows("SELECT id FROM schedule WHERE participant_id = ?", id).getFirst();
    line.bean(Schedules.class).end(id, String.valueOf(schedule.get("id")), "the rehearsal is over");
    assertThat(sentences(line.get(robin + "/timeline").result()))
        .containsSubsequence(
            "Daily prompts at 09:30 were stopped: the rehearsal is over.",
            "The coach recorded the outcome of the daily prompt of Mon 5 Jan 2026: done.",
            "The participant answered the daily prompt of Mon 5 Jan 2026 after 3 min.",
            "Habitline sent the daily prompt of Mon 5 Jan 2026.");
  }

  @Test
  void theTimelineSaysWhoDidWhatInPages() {
    var robin = robin();
    var _ = line.sendAs(staff, "PUT", robin + "/profile", "{\"fields\":{\"confidence\":7}}");
    var _ = line.sendAs(staff, "POST", robin + "/notes", "{\"text\":\"Called back.\"}");
    var _ = line.sendAs(staff, "POST", robin + "/schedules", "{\"time\":\"9:30\"}");
    var _ = line.send("PUT", robin, "{\"timezone\":\"Asia/Tokyo\",\"reason\":\"moved\"}");
    assertThat(sentences(line.get(robin + "/timeline").result()))
        .contains(
            "Kim changed the profile: confidence from empty to “7”.",
            "Kim noted: Called back.",
            "Kim added a daily prompt at 09:30.")
        .anyMatch(it -> it.startsWith("The time zone changed from "))
        .anyMatch(it -> it.contains(" changed time zone to Asia/Tokyo"))
        .last()
        .satisfies(it -> assertThat(it).endsWith(" enrolled the participant."));
    assertThat(sentences(line.get(robin + "/timeline?kind=profile").result())).hasSize(1);
    assertThat(sentences(line.sendAs(viewer, "GET", robin + "/timeline", "").result()))
        .noneMatch(it -> it.contains("noted"));
    assertThat(line.sendAs(viewer, "GET", robin + "/timeline?kind=note", "").status())
        .isEqualTo(400);
    assertThat(line.sendAs(staff, "GET", robin + "/timeline?kind=incident", "").status())
        .isEqualTo(400);
    var all = sentences(line.get(robin + "/timeline").result());
    var paged = new ArrayList<String>();
    var cursor = "";
    do {
      var part =
          line.get(
              robin + "/timeline?limit=2" + (cursor.isEmpty() ? "" : "&cursor=" + encoded(cursor)));
      paged.addAll(sentences(part.result()));
      cursor = part.body().path("next_cursor").asText("");
    } while (!cursor.isEmpty());
    assertThat(paged).containsSubsequence(all);
    assertThat(line.get(robin + "/timeline?cursor=newest").status()).isEqualTo(400);
    var page = line.get(page(robin) + "/timeline?kind=schedule").response().body();
    assertThat(page).contains("Kim added a daily prompt at 09:30.").contains("times in Asia/Tokyo");
    assertThat(line.get(page(robin)).response().body()).contains("Full timeline");
  }

  @Test
  void aMoveToAnotherFlowSaysBeforeWhatItDoes() {
    var robin = robin();
    var _ = line.sendAs(staff, "POST", robin + "/schedules", "{\"time\":\"9:30\"}");
    var _ = line.sendAs(staff, "PUT", robin + "/profile", "{\"fields\":{\"confidence\":7}}");
    var path = page(robin) + "/flow";
    assertThat(line.get(path + "?flow=tasks").response().body())
        .contains("so these end: 09:30.")
        .contains("They are kept: confidence.")
        .contains("Move to tasks");
    assertThat(line.get(robin).result().path("flow").asText()).isEqualTo("habit");
    var refused = form(path, Map.of("flow", "tasks"));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body()).contains("id=\"error-reason\"");
    for (var wrong :
        List.of(
            List.of("{\"reason\":\"x\"}", "flow: missing"),
            List.of("{\"flow\":\"nothing\",\"reason\":\"x\"}", "flow: unknown; expected one of"),
            List.of("{\"flow\":\"tasks\"}", "reason: missing"))) {
      var answer = line.sendAs(staff, "PUT", robin + "/flow", wrong.getFirst());
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.message()).startsWith(wrong.getLast());
    }
    assertThat(form(path, Map.of("flow", "tasks", "reason", "asked for it")).status())
        .isEqualTo(303);
    assertThat(line.get(robin).result().path("flow").asText()).isEqualTo("tasks");
    assertThat(line.get(robin + "/schedules").result().path("schedules")).isEmpty();
    assertThat(sentences(line.get(robin + "/timeline?kind=module").result()))
        .contains("Kim moved the participant from flow habit to tasks.");
    assertThat(line.get(page(robin)).response().body()).contains("Move to module");
    var back =
        line.sendAs(
            staff,
            "PUT",
            robin + "/flow",
            "{\"flow\":\"habit\",\"reason\":\"changed their mind\"}");
    assertThat(back.result().path("flow").asText()).isEqualTo("habit");
    assertThat(line.get(robin + "/profile").result().at("/profile/confidence").asInt())
        .isEqualTo(7);
  }

  @Test
  void aNameAndATimeZoneAreChangedOnAPageThatKeepsWhatWasEntered() {
    var robin = robin();
    var path = page(robin) + "/details";
    var wrong = form(path, Map.of("name", "Robin Other", "timezone", "Nowhere/City"));
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body())
        .contains("id=\"error-timezone\"")
        .contains("value=\"Robin Other\"")
        .contains("value=\"Nowhere/City\"");
    assertThat(form(path, Map.of("name", "Robin Other", "timezone", "Asia/Tokyo")).status())
        .isEqualTo(303);
    var now = line.get(robin).result();
    assertThat(now.path("name").asText()).isEqualTo("Robin Other");
    assertThat(now.path("timezone").asText()).isEqualTo("Asia/Tokyo");
  }

  @Test
  void onlyTheRoleSafetySeesIncidentsInATimeline() {
    var robin = robin();
    await()
        .until(() ->
            !line.rows(
                    "SELECT number FROM turn WHERE participant_id = ? AND status = 'done'",
                    id(robin))
                .isEmpty());
    var _ =
        line.send(
            "POST",
            "/simulator/" + id(robin) + "/texts",
            "{\"text\":\"I want to kill myself tonight\"}");
    var safety = line.key("Sal " + id(robin), "safety");
    await()
        .untilAsserted(() ->
            assertThat(
                    sentences(
                        line.sendAs(safety, "GET", robin + "/timeline?kind=incident", "").result()))
                .anyMatch(it -> it.startsWith("A safety incident was opened: ")));
    assertThat(line.sendAs(staff, "GET", robin + "/timeline", "").response().body())
        .doesNotContain("incident")
        .doesNotContain("crisis");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private static List<String> sentences(JsonNode entries) {
    return entries.findValuesAsText("sentence");
  }
}
