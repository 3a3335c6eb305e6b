package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;
import static org.habitline.RestLine.someone;
import static org.habitline.RestLine.write;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantChange.NewText;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.staff.web.Actor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Study ids and the study's own fields: at enrolment, in lists of people, in the API and on pages.
 */
final class CustomFieldsTest {

  private static final String FORM = "application/x-www-form-urlencoded";

  private static RestLine line;
  private static int ids;

  @BeforeAll
  static void start() {
    line =
        RestLine.of(
            CustomFieldsTest.class,
            """
            fields:
              - {name: site, label: Clinic, type: choice, choices: [North, South], required: true,
                 description: The clinic that recruited them.}
              - {name: visits, type: number}
              - {name: first_visit, label: First visit, type: date}
              - {name: remark, type: text}
            """,
            Map.of());
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String newId() {
    return "S-%04d".formatted(++ids);
  }

  private static Map<String, Object> someoneWith(String studyId, Map<String, String> fields) {
    var said = someone();
    said.put("study_id", studyId);
    said.put("fields", fields);
    return said;
  }

  private static JsonNode enrolled(String studyId) {
    var answer = line.enrol(someoneWith(studyId, Map.of("site", "North")));
    assertThat(answer.status()).as(answer.message()).isEqualTo(201);
    return answer.result();
  }

  private static String at(JsonNode participant) {
    return PARTICIPANTS + "/" + participant.path("id").asText();
  }

  private static Answer changed(JsonNode participant, String body) {
    return line.send("PUT", at(participant), body);
  }

  private static String page(JsonNode participant) {
    return line.get("/participants/" + participant.path("id").asText()).response().body();
  }

  private static List<String> stored(JsonNode participant) {
    return line
        .rows(
            "SELECT name, field_value FROM participant_field WHERE participant_id = ? ORDER BY name",
            participant.path("id").asText())
        .stream()
        .map(row -> row.get("name") + "=" + row.get("field_value"))
        .toList();
  }

  @Test
  void anEnrolmentStoresThemAndTheApiTheListThePageAndTheExportShowThem() {
    var id = newId();
    var answer =
        line.enrol(
            someoneWith(
                id,
                Map.of(
                    "site", " south ", "visits", "12", "first_visit", "2026-03-31", "remark", "")));
    assertThat(answer.status()).isEqualTo(201);
    var robin = answer.result();
    assertThat(stored(robin)).containsExactly("first_visit=2026-03-31", "site=South", "visits=12");
    var shown = line.get(at(robin)).result();
    assertThat(shown.path("study_id").asText()).isEqualTo(id);
    assertThat(shown.path("fields"))
        .hasToString("{\"first_visit\":\"2026-03-31\",\"site\":\"South\",\"visits\":\"12\"}");
    assertThat(robin.path("fields")).isEqualTo(shown.path("fields"));
    var listed = line.get(PARTICIPANTS + "?study_id=" + id).result();
    assertThat(listed.findValuesAsText("id")).containsExactly(robin.path("id").asText());
    assertThat(listed.path(0).path("fields")).isEqualTo(shown.path("fields"));
    assertThat(line.get(PARTICIPANTS + "?study_id=" + id.substring(0, 4)).result()).isEmpty();
    assertThat(
            line.get(PARTICIPANTS + "?q=" + id.toLowerCase(Locale.ROOT))
                .result()
                .findValuesAsText("study_id"))
        .containsExactly(id);
    assertThat(line.get("/participants?q=" + id).response().body())
        .contains("person-" + robin.path("id").asText(), ">" + id + "</td>");
    assertThat(page(robin))
        .contains("<dd id=\"study-id\">" + id + "</dd>")
        .containsSubsequence(
            "Fields of the study",
            "<dt>Clinic</dt>",
            "South",
            "<dt>visits</dt>",
            "12",
            "<dt>First visit</dt>")
        .doesNotContain("no longer in the study");
    var export = line.get(at(robin) + "/export").body();
    assertThat(export.at("/participant/0/study_id").asText()).isEqualTo(id);
    assertThat(export.path("fields").findValuesAsText("field_value"))
        .containsExactly("2026-03-31", "South", "12");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"visits": "1"}                        | field.site: missing; an enrolment needs one of North, South.
          {"site": " "}                          | field.site: missing;
          {"site": "East"}                       | field.site: expected one of North, South.
          {"site": "North", "visits": "many"}    | field.visits: expected a number such as 12 or 0.5.
          {"site": "North", "visits": "1,5"}     | field.visits: expected a number
          {"site": "North", "first_visit": "2026-02-30"} | field.first_visit: expected a date such as 2026-03-31.
          {"site": "North", "first_visit": "31.03.2026"} | field.first_visit: expected a date
          {"site": "North", "remark": "a\\nb"}    | field.remark: contains control characters
          {"site": "North", "colour": "red"}     | fields: unknown field; expected one of site, visits, first_visit, remark.
          """)
  void aValueThatIsNotAcceptedIsRefusedBesideItsField(String fields, String sentence) {
    var number = number();
    var answer =
        line.send(
            "POST",
            PARTICIPANTS,
            "{\"phone_number\": \"" + number + "\", \"fields\": " + fields + "}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).startsWith(sentence).endsWith(".");
  }

  @Test
  void aStudyIdHasFewSignsAndBelongsToOneParticipant() {
    for (var wrong : List.of("S 1", "S/1", "Ä1", "x".repeat(65))) {
      var refused = line.enrol(someoneWith(wrong, Map.of("site", "North")));
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.message()).startsWith("study_id: expected at most 64 letters");
    }
    var robin = enrolled(newId());
    var taken = robin.path("study_id").asText();
    var sentence =
        "study_id: already the study id of "
            + robin.path("id").asText()
            + "; expected one that no other participant has.";
    var before = line.rows("SELECT id FROM participant").size();
    var again = line.enrol(someoneWith(taken, Map.of("site", "South")));
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).isEqualTo(sentence);
    assertThat(line.rows("SELECT id FROM participant")).hasSize(before);
    var wren = enrolled(newId());
    var change = changed(wren, write(Map.of("study_id", taken, "name", "Wren")));
    assertThat(change.status()).isEqualTo(409);
    assertThat(change.message()).isEqualTo(sentence);
    assertThat(line.get(at(wren)).result().path("name").asText()).isEqualTo("Robin Example");
    assertThat(changed(robin, write(Map.of("study_id", taken))).status()).isEqualTo(200);
    assertThat(changed(robin, "{\"study_id\": null}").result().has("study_id")).isFalse();
    assertThat(changed(wren, write(Map.of("study_id", taken))).status()).isEqualTo(200);
  }

  @Test
  void ofManyWhoWantAStudyIdAtOnceOneGetsIt() throws Exception {
    var wanted = newId();
    var people =
        IntStream.range(0, 10).mapToObj(i -> someoneWith(wanted, Map.of("site", "North"))).toList();
    assertThat(
            atOnce(people.stream().<Callable<Answer>>map(said -> () -> line.enrol(said)).toList()))
        .isEqualTo(Map.of(201, 1L, 409, 9L));
    var next = newId();
    var enrolled = IntStream.range(0, 10).mapToObj(i -> enrolled(newId())).toList();
    assertThat(
            atOnce(
                enrolled.stream()
                    .<Callable<Answer>>map(
                        one -> () -> changed(one, write(Map.of("study_id", next))))
                    .toList()))
        .isEqualTo(Map.of(200, 1L, 409, 9L));
  }

  private static Map<Integer, Long> atOnce(List<Callable<Answer>> requests) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = new ArrayList<Answer>();
      for (var answer : threads.invokeAll(requests)) {
        answers.add(answer.get());
      }
      return answers.stream().collect(Collectors.groupingBy(Answer::status, Collectors.counting()));
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aChangeNamesWhatItChangesAndIsAudited() {
    var robin = enrolled(newId());
    var researcher = line.key("Lab", "researcher");
    var answer =
        line.sendAs(
            researcher,
            "PUT",
            at(robin),
            "{\"fields\": {\"visits\": \"3\", \"site\": null}, \"reason\": \"Moved away\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.result().path("fields")).hasToString("{\"visits\":\"3\"}");
    assertThat(changed(robin, "{\"fields\": {\"visits\": \"3\"}}").status()).isEqualTo(200);
    var entries =
        line.rows(
            "SELECT actor, old_value, new_value FROM audit_event"
                + " WHERE participant_id = ? AND action = 'participant changed'",
            robin.path("id").asText());
    assertThat(entries)
        .singleElement()
        .satisfies(entry -> {
          assertThat(entry).containsEntry("actor", "Lab");
          assertThat(String.valueOf(entry.get("old_value"))).contains("field.site: North");
          assertThat(String.valueOf(entry.get("new_value")))
              .contains("field.visits: 3")
              .doesNotContain("North");
        });
    assertThat(changed(robin, "{\"fields\": {\"visits\": \"x\"}}").message())
        .startsWith("field.visits: expected a number");
    assertThat(changed(robin, "{\"fields\": {\"age\": \"3\"}}").message())
        .startsWith("fields: unknown field; expected one of site");
  }

  @Test
  void aFieldThatTheStudyNoLongerHasStaysAndCanOnlyBeCleared() {
    var robin = enrolled(newId());
    line.bean(Participants.class)
        .update(
            robin.path("id").asText(),
            new ParticipantChange(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                Map.of("ward", new NewText("Four"))));
    assertThat(page(robin))
        .containsSubsequence("<dt>ward</dt>", "Four", "(no longer in the study)");
    assertThat(line.get(at(robin)).result().at("/fields/ward").asText()).isEqualTo("Four");
    assertThat(changed(robin, "{\"fields\": {\"ward\": \"Five\"}}").status()).isEqualTo(400);
    assertThat(changed(robin, "{\"fields\": {\"ward\": null}}").status()).isEqualTo(200);
    assertThat(stored(robin)).containsExactly("site=North");
  }

  @Test
  void thePageChangesThemAndSaysWhatIsWrongBesideItsField() {
    var robin = enrolled(newId());
    var wren = enrolled(newId());
    var form = "/participants/" + robin.path("id").asText() + "/study";
    assertThat(
            posted(form, "study_id=P.1&field.site=South&field.visits=0.5&field.first_visit=")
                .status())
        .isEqualTo(303);
    assertThat(stored(robin)).containsExactly("site=South", "visits=0.5");
    assertThat(line.get(at(robin)).result().path("study_id").asText()).isEqualTo("P.1");
    var wrong = posted(form, "study_id=P%201&field.site=South&field.visits=often");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body())
        .contains(
            "id=\"error-study_id\">Expected at most 64 letters",
            "id=\"error-field.visits\">Expected a number such as 12 or 0.5.",
            "value=\"often\"",
            "value=\"P 1\"",
            "The clinic that recruited them.");
    var taken = posted(form, "study_id=" + wren.path("study_id").asText());
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.response().body())
        .contains("id=\"error-study_id\">Already the study id of " + wren.path("id").asText());
    assertThat(stored(robin)).containsExactly("site=South", "visits=0.5");
  }

  private static Answer posted(String path, String form) {
    return line.post(path, FORM, form.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void theEnrolmentFormHasThem() {
    var number = "%2B1" + number().substring(2);
    var refused =
        posted("/participants", "phone_number=" + number + "&field.visits=x&study_id=a%20b");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body())
        .contains(
            "id=\"error-field.site\">Missing; an enrolment needs one of North, South.",
            "id=\"error-field.visits\">Expected a number",
            "href=\"#field-field.visits\"",
            "id=\"error-study_id\">Expected at most");
    var id = newId();
    assertThat(
            posted(
                    "/participants",
                    "phone_number=" + number + "&field.site=North&field.visits=2&study_id=" + id)
                .status())
        .isEqualTo(303);
    assertThat(line.get(PARTICIPANTS + "?study_id=" + id).result().at("/0/fields/visits").asText())
        .isEqualTo("2");
  }

  @Test
  void aListOfPeopleHasThemInColumns() {
    var robin = enrolled(newId());
    var taken = robin.path("study_id").asText();
    var free = newId();
    var csv =
        """
        phone_number,study_id,field.site,Field.Visits
        %s,%s,north,4
        %s,%s,South,
        %s,%s,South,
        %s,,,
        %s,,South,often
        """
            .formatted(number(), free, number(), free, number(), taken, number(), number())
            .getBytes(StandardCharsets.UTF_8);
    var tried = line.post(PARTICIPANTS + "/import?dry_run=true", "text/csv", csv).result();
    var messages =
        List.of(
            "",
            "study_id: the same study id as in row 2.",
            "study_id: already the study id of " + robin.path("id").asText() + ".",
            "field.site: missing; an enrolment needs one of North, South.",
            "field.visits: expected a number such as 12 or 0.5.");
    assertThat(messages(tried.path("results"))).isEqualTo(messages);
    assertThat(tried.path("results").findValuesAsText("status"))
        .containsExactly("would_enrol", "duplicate", "duplicate", "error", "error");
    var id = line.post(PARTICIPANTS + "/import", "text/csv", csv).result().path("id").asText();
    var progress = PARTICIPANTS + "/import/" + id;
    await().until(() -> line.get(progress).result().at("/progress/status").asText().equals("done"));
    assertThat(line.get(progress).result().path("results").findValuesAsText("status"))
        .containsExactly("enrolled", "duplicate", "duplicate", "error", "error");
    assertThat(line.get(PARTICIPANTS + "?study_id=" + free).result().path(0).path("fields"))
        .hasToString("{\"site\":\"North\",\"visits\":\"4\"}");
    var unknown =
        line.post(
            PARTICIPANTS + "/import",
            "text/csv",
            "phone_number,field.colour\n+12065550100,red\n".getBytes(StandardCharsets.UTF_8));
    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.message())
        .contains("'field.colour'", "study_id, field.site, field.visits, field.first_visit");
    assertThat(line.get("/participants/import").response().body()).contains("field.first_visit");
  }

  private static String number() {
    return String.valueOf(someone().get("phone_number"));
  }

  private static List<String> messages(JsonNode results) {
    return StreamSupport.stream(results.spliterator(), false)
        .map(row -> row.path("message").asText())
        .toList();
  }

  @Test
  void whoTextsFirstNeedsNoRequiredField() {
    var number = new PhoneNumber(number());
    var enrolled =
        line.bean(EnrolmentDesk.class)
            .enrolTexting(
                new Actor("Sam", "staff"),
                new EnrolmentDesk.Wanted(number.e164(), null, null, null, null, null, null, null));
    assertThat(enrolled.participant().phone()).isEqualTo(number);
  }

  @Test
  void anErasureDeletesThemAndFreesTheStudyId() {
    var robin = enrolled(newId());
    line.send("DELETE", at(robin), "");
    await().until(() -> stored(robin).isEmpty());
    assertThat(enrolled(robin.path("study_id").asText()).path("id")).isNotEqualTo(robin.path("id"));
  }
}
