package org.habitline.staff.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.Rows;
import org.habitline.SettableClock;
import org.habitline.TestClocks;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.habitline.staff.people.TagDesk;
import org.habitline.staff.web.Actor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Actions on many participants, over REST and on the pages. */
final class BulkRestTest {

  private static final String BULK = "/conversation/bulk";
  private static final String WORDS = "The study phone is closed on Friday.";
  private static final TestClocks CLOCKS =
      new TestClocks(SettableClock.running(), SettableClock.running());

  private static RestLine line;
  private static String researcher;

  @BeforeAll
  static void start() {
    line = RestLine.start(BulkRestTest.class, Map.of(), CLOCKS);
    researcher = line.key("Sam of the study", "researcher");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String someone() {
    return line.enrolled().path("id").asText();
  }

  private static List<String> some(int count) {
    return IntStream.range(0, count).mapToObj(i -> someone()).toList();
  }

  private static void status(String id, String status) {
    assertThat(
            line.send("PUT", RestLine.PARTICIPANTS + "/" + id, "{\"status\":\"" + status + "\"}")
                .status())
        .isEqualTo(200);
  }

  private static void optOut(String id) {
    line.bean(Participants.class).optOut(id, OptOutSource.KEYWORD);
  }

  /** Sends a form as a browser does; names and values in turn, a name may repeat. */
  private static Answer form(String path, String... fields) {
    var pairs = new ArrayList<String>();
    for (int i = 0; i < fields.length; i += 2) {
      pairs.add(fields[i] + "=" + URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8));
    }
    return line.post(
        path,
        "application/x-www-form-urlencoded",
        String.join("&", pairs).getBytes(StandardCharsets.UTF_8),
        "Accept",
        "text/html");
  }

  private static Answer selected(String action, List<String> ids) {
    return form(
        "/participants/selected",
        Stream.concat(Stream.of("action", action), ids.stream().flatMap(id -> Stream.of("id", id)))
            .toArray(String[]::new));
  }

  private static String place(Answer answer) {
    assertThat(answer.status()).as(answer.response().body()).isEqualTo(303);
    return answer.response().headers().firstValue("Location").orElseThrow();
  }

  private static String page(String path) {
    var answer = line.send("GET", path, "", "Accept", "text/html");
    assertThat(answer.status()).as(answer.response().body()).isEqualTo(200);
    return answer.response().body();
  }

  private static Answer preview(String action, List<String> ids, String text) {
    var body = new HashMap<String, Object>(Map.of("action", action, "participants", ids));
    if (!text.isEmpty()) {
      body.put("text", text);
    }
    return line.send("POST", BULK + "/preview", RestLine.write(body));
  }

  private static String previewed(String action, List<String> ids, String text) {
    var answer = preview(action, ids, text);
    assertThat(answer.status()).as(answer.message()).isEqualTo(200);
    return answer.result().at("/bulk/id").asText();
  }

  private static Answer confirm(String id, int count, String... headers) {
    return line.send("POST", BULK, RestLine.write(Map.of("id", id, "count", count)), headers);
  }

  private static JsonNode progress(String id) {
    return line.get(BULK + "/" + id + "?limit=200").result();
  }

  /** What came of an action for each participant: the status, or why they were left out. */
  private static Map<String, String> results(String id) {
    var results = new HashMap<String, String>();
    progress(id)
        .path("participants")
        .forEach(it ->
            results.put(
                it.path("participant_id").asText(),
                it.path("reason").asText(it.path("status").asText())));
    return results;
  }

  /** Lets the time pass in which an action can be undone, and waits until it has ended. */
  private static void carriedOut(String id) {
    CLOCKS.system().advance(BulkDesk.UNDONE_WITHIN);
    await().until(() -> progress(id).at("/bulk/status").asText().equals("done"));
  }

  private static List<String> messages(String id, String words) {
    return line
        .rows(
            "SELECT author_name FROM message WHERE participant_id = ? AND content = ? AND author ="
                + " 'staff'",
            id,
            words)
        .stream()
        .map(row -> String.valueOf(row.get("author_name")))
        .toList();
  }

  @Test
  void aMessageGoesToThoseWhoMayGetItOnceTheirNumberWasTypedAndTenSecondsHavePassed() {
    var people = some(3);
    var out = someone();
    var paused = someone();
    optOut(out);
    status(paused, "paused");
    var chosen = new ArrayList<>(people);
    chosen.addAll(List.of(out, paused, people.getFirst()));
    var place = place(selected("message", chosen));
    assertThat(page(place))
        .contains("Send a message to 3 participants?")
        .contains("1 opted out, 1 paused.")
        .contains("href=\"/participants/" + out + "\"")
        .doesNotContain("to confirm");

    var blank = form(place + "/words", "text", "  ");
    assertThat(blank.status()).isEqualTo(400);
    assertThat(blank.response().body()).contains("id=\"error-text\"");
    assertThat(place(form(place + "/words", "text", WORDS))).isEqualTo(place);
    assertThat(page(place)).contains(WORDS).contains("3 segments in total").contains("Type 3 to");

    var wrong = form(place + "/confirm", "count", "5");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body())
        .contains("id=\"error-count\"")
        .contains("Type 3, the number of participants")
        .contains("value=\"5\"")
        .contains(WORDS);
    assertThat(place(form(place + "/confirm", "count", " 3 "))).isEqualTo(place);
    assertThat(place(form(place + "/confirm", "count", "3")))
        .as("a second click on the button")
        .isEqualTo(place);
    assertThat(page(place)).contains("Starts in ").contains(">Undo</button>");
    optOut(people.get(1));
    assertThat(messages(people.getFirst(), WORDS)).isEmpty();

    var id = place.substring(place.lastIndexOf('/') + 1);
    carriedOut(id);
    assertThat(results(id))
        .containsOnly(
            Map.entry(people.get(0), "done"),
            Map.entry(people.get(1), "opted_out"),
            Map.entry(people.get(2), "done"),
            Map.entry(out, "opted_out"),
            Map.entry(paused, "paused"));
    assertThat(messages(people.get(0), WORDS)).containsExactly("admin");
    assertThat(messages(people.get(1), WORDS)).isEmpty();
    assertThat(
            line.rows(
                "SELECT id FROM outbox WHERE kind = 'staff' AND bulk = TRUE AND participant_id = ?",
                people.get(2)))
        .hasSize(1);
    assertThat(page(place))
        .contains(
            "Message to 2 participants", "Planned for 2 of 5; 3 left out.", "planned or on its way")
        .doesNotContain("every 1s");
    Rows.of(line)
        .write(
            "UPDATE outbox SET status = 'undelivered', open = FALSE WHERE kind = 'staff' AND bulk = TRUE AND participant_id = ?",
            people.get(2));
    assertThat(page(place)).contains("not delivered");
    Rows.of(line)
        .write("UPDATE participant SET timezone = 'Asia/Tokyo' WHERE id = ?", people.get(2));
    Rows.of(line)
        .write(
            "UPDATE outbox SET attempted_at = ?, provider_id = NULL WHERE kind = 'staff' AND bulk = TRUE AND participant_id = ?",
            Instant.parse("2026-11-21T23:30:00Z"),
            people.get(2));
    assertThat(page(place))
        .as("the provider did not accept it")
        .contains("Sent (participant's time)")
        .doesNotContain("22 Nov 2026, 08:30");
    Rows.of(line)
        .write(
            "UPDATE outbox SET provider_id = id WHERE kind = 'staff' AND bulk = TRUE AND participant_id = ?",
            people.get(2));
    assertThat(page(place)).contains("<td>Sun 22 Nov 2026, 08:30</td>");
    assertThat(page("/bulk")).contains("href=\"" + place + "\"").contains("2 of 5");
    assertThat(page("/participants"))
        .contains("href=\"/bulk\"", "action=\"/participants/selected\"", "value=\"untag\"");
    assertThat(
            line.rows("SELECT action FROM audit_event WHERE subject = ? ORDER BY seq", id).stream()
                .map(row -> String.valueOf(row.get("action"))))
        .containsExactly("bulk action confirmed");
    assertThat(
            line.rows(
                "SELECT action FROM audit_event WHERE action = 'message written' AND participant_id"
                    + " = ?",
                people.get(0)))
        .hasSize(1);
  }

  @Test
  void whoeverIsInACrisisOrTakenOverByAnotherIsLeftOut() {
    var crisis = someone();
    var taken = someone();
    var mine = someone();
    await()
        .until(
            () -> !line.rows("SELECT id FROM message WHERE participant_id = ?", crisis).isEmpty());
    line.send(
        "POST", "/simulator/" + crisis + "/texts", "{\"text\":\"I want to kill myself tonight\"}");
    await()
        .until(
            () -> !line.rows("SELECT id FROM incident WHERE participant_id = ?", crisis).isEmpty());
    var other = line.key("Kim of the study", "staff");
    line.sendAs(other, "PUT", RestLine.PARTICIPANTS + "/" + taken + "/mute", "{\"minutes\":30}");
    line.send("PUT", RestLine.PARTICIPANTS + "/" + mine + "/mute", "{\"minutes\":30}");
    var id = previewed("message", List.of(crisis, taken, mine), WORDS);
    assertThat(results(id))
        .containsOnly(
            Map.entry(crisis, "incident"),
            Map.entry(taken, "taken_over"),
            Map.entry(mine, "waiting"));
  }

  @Test
  void whatIsUndoneWithinTenSecondsIsNeverDone() {
    var people = some(2);
    var id = previewed("message", people, "Never to be sent.");
    assertThat(confirm(id, 2).status()).isEqualTo(201);
    CLOCKS.system().advance(Duration.ofSeconds(8));
    var undone = line.send("POST", BULK + "/" + id + "/undo", "");
    assertThat(undone.status()).as(undone.message()).isEqualTo(200);
    assertThat(undone.result().path("undone").asInt()).isEqualTo(2);
    assertThat(line.send("POST", BULK + "/" + id + "/undo", "").status()).isEqualTo(409);
    // One that was confirmed later has ended, so the first would have begun.
    var later = previewed("message", people, WORDS);
    confirm(later, 2);
    carriedOut(later);
    assertThat(messages(people.getFirst(), "Never to be sent.")).isEmpty();
    assertThat(messages(people.getFirst(), WORDS)).hasSize(1);
    assertThat(page("/bulk/" + id))
        .contains("Undone")
        .contains("Never to be sent.")
        .contains("Stopped by");
  }

  @Test
  void manyArePausedAndResumedAndWhoeverIsNoLongerAsItWasIsLeftOut() {
    var people = some(2);
    var done = someone();
    status(done, "completed");
    var chosen = Stream.concat(people.stream(), Stream.of(done)).toList();
    var id = previewed("pause", chosen, "");
    assertThat(results(id)).containsEntry(done, "completed");
    assertThat(line.send("POST", BULK, RestLine.write(Map.of("id", id))).status()).isEqualTo(201);
    status(people.getFirst(), "withdrawn");
    carriedOut(id);
    assertThat(results(id))
        .containsOnly(
            Map.entry(people.get(0), "withdrawn"),
            Map.entry(people.get(1), "done"),
            Map.entry(done, "completed"));
    assertThat(
            line.get(RestLine.PARTICIPANTS + "/" + people.get(1)).result().path("status").asText())
        .isEqualTo("paused");
    assertThat(
            line.rows(
                    "SELECT reason FROM audit_event WHERE action = 'participant changed' AND"
                        + " participant_id = ?",
                    people.get(1))
                .getLast())
        .containsEntry("reason", "bulk action " + id);
    Rows.of(line)
        .write(
            "UPDATE bulk_target SET status = 'failed', reason = 'fault' WHERE bulk_id = ? AND participant_id = ?",
            id,
            people.get(0));
    assertThat(page("/bulk/" + id))
        .contains("1 completed the study, 1 because of an internal error.")
        .contains("<td class=\"wrap\">because of an internal error</td>");
    var place = place(selected("resume", people));
    assertThat(page(place)).contains("Resume 1 participant?").doesNotContain("to confirm");
    place(form(place + "/confirm"));
    carriedOut(place.substring(place.lastIndexOf('/') + 1));
    assertThat(
            line.get(RestLine.PARTICIPANTS + "/" + people.get(1)).result().path("status").asText())
        .isEqualTo("active");
  }

  @Test
  void manyAreTaggedAndWhoeverHasTheTagIsLeftOut() {
    var people = some(3);
    var tags = line.bean(TagDesk.class);
    var kim = new Actor("Kim", "staff");
    var _ = tags.add(kim, people.getFirst(), "pilot");
    var place = place(selected("tag", people));
    assertThat(page(place)).contains("Add a tag to 3 participants?").doesNotContain(">Tag 3 ");
    var wrong = form(place + "/words", "tag", "!");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body()).contains("id=\"error-tag\"").contains("value=\"!\"");
    place(form(place + "/words", "tag", " Pilot "));
    assertThat(page(place))
        .contains("Add a tag to 2 participants?")
        .contains("1 already tagged")
        .contains(">Tag 2 participants<");
    place(form(place + "/words", "tag", "another"));
    assertThat(page(place)).contains("Add a tag to 3 participants?");
    place(form(place + "/words", "tag", "pilot"));
    place(form(place + "/confirm"));
    carriedOut(place.substring(place.lastIndexOf('/') + 1));
    assertThat(tagged("pilot")).containsExactlyInAnyOrderElementsOf(people);

    var untag =
        line.send(
            "POST",
            BULK + "/preview",
            RestLine.write(
                Map.of("action", "untag", "participants", people.subList(1, 3), "tag", "pilot")));
    assertThat(untag.status()).as(untag.message()).isEqualTo(200);
    var id = untag.result().at("/bulk/id").asText();
    var _ = tags.remove(kim, people.getLast(), "pilot");
    assertThat(line.send("POST", BULK, RestLine.write(Map.of("id", id))).status()).isEqualTo(201);
    carriedOut(id);
    assertThat(results(id))
        .containsOnly(Map.entry(people.get(1), "done"), Map.entry(people.getLast(), "lacks_tag"));
    assertThat(tagged("pilot")).containsExactly(people.getFirst());
  }

  private static List<String> tagged(String tag) {
    return line.rows("SELECT participant_id FROM participant_tag WHERE tag = ?", tag).stream()
        .map(row -> String.valueOf(row.get("participant_id")))
        .toList();
  }

  @Test
  void toPauseMoreThanTwentyTheirNumberIsTyped() {
    var id = previewed("pause", some(21), "");
    var untyped = line.send("POST", BULK, RestLine.write(Map.of("id", id)));
    assertThat(untyped.status()).isEqualTo(400);
    assertThat(untyped.message()).startsWith("count: type 21");
    assertThat(page("/bulk/" + id)).contains("Type 21 to confirm");
    place(form("/bulk/" + id + "/discard"));
    assertThat(line.get(BULK + "/" + id).status()).isEqualTo(404);
  }

  @Test
  void everybodyWhoMatchesAFilterIsChosenAlsoWhoIsNotOnThisPage() {
    var name = "Filtered " + someone();
    var ids = new ArrayList<String>();
    for (int i = 0; i < 3; i++) {
      var person = RestLine.someone();
      person.put("name", name);
      ids.add(line.enrol(person).result().path("id").asText());
    }
    status(ids.getLast(), "paused");
    var place =
        place(
            form(
                "/participants/selected",
                "all",
                "true",
                "q",
                name,
                "status",
                "active",
                "action",
                "pause"));
    assertThat(results(place.substring(place.lastIndexOf('/') + 1)).keySet())
        .containsExactlyInAnyOrder(ids.get(0), ids.get(1));
    assertThat(form("/participants/selected", "action", "pause").status()).isEqualTo(400);
    assertThat(selected("dance", ids).status()).isEqualTo(400);
    assertThat(selected("pause", List.of(ids.getFirst(), "conv_none")).response().body())
        .contains("do not exist or were erased");
  }

  @Test
  void researchersPauseAndExportAndOnlyStaffMessage() {
    var person = RestLine.someone();
    person.put("name", "=HYPERLINK(\"x\")");
    var id = line.enrol(person).result().path("id").asText();
    var number = String.valueOf(person.get("phone_number"));
    var tags = line.bean(TagDesk.class);
    var _ = tags.add(new Actor("Kim", "staff"), id, "site b");
    var _ = tags.add(new Actor("Kim", "staff"), id, "early");
    assertThat(
            line.sendAs(
                    researcher,
                    "POST",
                    BULK + "/preview",
                    RestLine.write(
                        Map.of("action", "message", "participants", List.of(id), "text", WORDS)))
                .status())
        .isEqualTo(403);
    var pause =
        line.sendAs(
            researcher,
            "POST",
            BULK + "/preview",
            RestLine.write(Map.of("action", "pause", "participants", List.of(id))));
    assertThat(pause.status()).isEqualTo(200);
    var message = previewed("message", List.of(id), WORDS);
    assertThat(
            line.sendAs(researcher, "POST", BULK, "{\"id\":\"" + message + "\",\"count\":1}")
                .status())
        .isEqualTo(403);

    var table =
        line.postAs(
            researcher,
            "/participants/selected",
            "application/x-www-form-urlencoded",
            ("action=export&id=" + id + "&id=conv_none").getBytes(StandardCharsets.UTF_8));
    assertThat(table.status()).isEqualTo(200);
    assertThat(table.response().headers().firstValue("Content-Disposition").orElseThrow())
        .contains("participants.csv");
    assertThat(table.response().body().lines().toList())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("id,name,study_id,phone_number,");
    assertThat(table.response().body())
        .contains(id + ",\"'=HYPERLINK(\"\"x\"\")\",," + number + ",active,active,false,")
        .contains(",early; site b,");
    assertThat(
            line.rows(
                "SELECT actor FROM audit_event WHERE action = 'participants exported' AND subject ="
                    + " '1 participant'"))
        .hasSize(1);
    var viewer = line.key("Vic who only looks", "viewer");
    assertThat(
            line.postAs(
                    viewer,
                    "/participants/selected",
                    "application/x-www-form-urlencoded",
                    ("action=export&id=" + id).getBytes(StandardCharsets.UTF_8))
                .status())
        .isEqualTo(403);
  }

  @Test
  void aConfirmationIsCarriedOutOnceHoweverOftenItIsSent() {
    var people = some(1);
    var id = previewed("message", people, WORDS);
    assertThat(confirm(id, 2).message()).startsWith("count: type 1");
    var first = confirm(id, 1, "Idempotency-Key", "bulk once");
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.response().headers().firstValue("Location")).hasValue(BULK + "/" + id);
    var again = confirm(id, 1, "Idempotency-Key", "bulk once");
    assertThat(again.result()).isEqualTo(first.result());
    assertThat(again.response().headers().firstValue("Idempotent-Replay")).hasValue("true");
    assertThat(confirm(id, 1).status()).isEqualTo(409);
    carriedOut(id);
    assertThat(messages(people.getFirst(), WORDS)).hasSize(1);
  }

  @Test
  void anErasedParticipantIsNoLongerAmongThoseOfAnAction() {
    var people = some(2);
    var id = previewed("message", people, WORDS);
    optOut(people.getFirst());
    line.send("DELETE", RestLine.PARTICIPANTS + "/" + people.getFirst(), "");
    await()
        .until(() ->
            results(id)
                .keySet()
                .equals(List.of(people.get(1)).stream().collect(Collectors.toSet())));
    assertThat(confirm(id, 1).status()).isEqualTo(201);
    carriedOut(id);
    // The words are kept for a day; then only the conversations have them.
    var run = line.bean(BulkRun.class);
    run.forget();
    assertThat(progress(id).at("/bulk/text").asText()).isEqualTo(WORDS);
    CLOCKS.system().advance(Duration.ofDays(2));
    run.forget();
    assertThat(progress(id).at("/bulk/text").isMissingNode()).isTrue();
    assertThat(page("/bulk/" + id)).contains("in the conversation of each participant");
  }

  @Test
  void aConfirmationHoldsForTheWordsThatWereRead() {
    var people = some(1);
    var place = place(selected("message", people));
    place(form(place + "/words", "text", WORDS));
    var read = page(place);
    assertThat(read).contains("name=\"version\" value=\"1\"");
    place(form(place + "/words", "text", "Other words."));
    var stale = form(place + "/confirm", "count", "1", "version", "1");
    assertThat(stale.status()).isEqualTo(409);
    assertThat(stale.response().body())
        .contains("has changed since you opened it", "Other words.", "value=\"2\"");
    var id = place.substring(place.lastIndexOf('/') + 1);
    assertThat(progress(id).at("/bulk/version").asInt()).isEqualTo(2);
    var body = RestLine.write(Map.of("id", id, "count", 1, "version", 1));
    assertThat(line.send("POST", BULK, body).status()).isEqualTo(409);
    place(form(place + "/confirm", "count", "1", "version", "2"));
    carriedOut(id);
    assertThat(messages(people.getFirst(), "Other words.")).hasSize(1);

    optOut(people.getFirst());
    line.send("DELETE", RestLine.PARTICIPANTS + "/" + people.getFirst(), "");
    await("nobody is left in whose conversation the words are")
        .until(() -> progress(id).at("/bulk/text").isMissingNode());
  }

  @Test
  void idsThatNoParticipantCanHaveAreRefused() {
    for (var ids : List.of("[null]", "[\"conv\\u0000\"]", "[]")) {
      var answer =
          line.send(
              "POST", BULK + "/preview", "{\"action\":\"pause\",\"participants\":" + ids + "}");
      assertThat(answer.status()).as(ids).isEqualTo(400);
      assertThat(answer.message()).startsWith("participants: ");
    }
    assertThat(line.send("POST", BULK, "{\"id\":\"bulk\\u0000\"}").status()).isEqualTo(400);
  }

  @Test
  void previewsThatNobodyConfirmedAreForgotten() {
    var id = previewed("pause", some(1), "");
    CLOCKS.system().advance(Duration.ofHours(3));
    line.bean(BulkRun.class).forget();
    assertThat(confirm(id, 1).status()).isEqualTo(404);
    assertThat(line.rows("SELECT number FROM bulk_target WHERE bulk_id = ?", id)).isEmpty();
  }
}
