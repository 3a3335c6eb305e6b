package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;
import static org.habitline.RestLine.someone;
import static org.habitline.RestLine.write;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Enrolment and a participant's own data, over HTTP. */
final class ParticipantsRestTest {

  private static RestLine line;

  @BeforeAll
  static void start() {
    line = RestLine.start(ParticipantsRestTest.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static Map<String, Object> someoneWith(String field, Object value) {
    var said = someone();
    said.put(field, value);
    return said;
  }

  private static String number(Map<String, Object> said) {
    return String.valueOf(said.get("phone_number"));
  }

  private static String at(JsonNode participant) {
    return PARTICIPANTS + "/" + participant.path("id").asText();
  }

  private static List<Map<String, Object>> audited(JsonNode participant) {
    return line.rows(
        "SELECT actor, role, action, old_value, new_value FROM audit_event WHERE participant_id = ?"
            + " ORDER BY seq",
        participant.path("id").asText());
  }

  private static long enrolled() {
    return line.rows("SELECT id FROM participant").size();
  }

  @Test
  void theDocumentedEnrolmentIsAnsweredAsDocumented() {
    var answer =
        line.send(
            "POST",
            PARTICIPANTS,
            """
            {"phone_number": "+1234567890", "name": "Alice Smith", "gender": "female", "ethnicity": "Hispanic",
             "background": "College student...", "timezone": "America/New_York"}
            """);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.body().path("status").asText()).isEqualTo("ok");
    assertThat(answer.message()).isEqualTo("Conversation participant enrolled successfully");
    var result = answer.result();
    assertThat(result.path("id").asText()).matches("conv_[0-9a-f]{24}");
    assertThat(result.path("phone_number").asText()).isEqualTo("+1234567890");
    assertThat(result.path("name").asText()).isEqualTo("Alice Smith");
    assertThat(result.path("gender").asText()).isEqualTo("female");
    assertThat(result.path("ethnicity").asText()).isEqualTo("Hispanic");
    assertThat(result.path("background").asText()).isEqualTo("College student...");
    assertThat(result.path("timezone").asText()).isEqualTo("America/New_York");
    assertThat(result.path("timezone_assumed").asBoolean(true)).isFalse();
    assertThat(result.path("flow").asText()).isEqualTo("habit");
    assertThat(result.path("channel").asText()).isEqualTo("simulator");
    assertThat(result.path("status").asText()).isEqualTo("active");
    assertThat(result.path("warnings").toString()).contains("not a valid number");
    assertThat(Instant.parse(result.path("enrolled_at").asText()))
        .isEqualTo(Instant.parse(result.path("created_at").asText()))
        .isEqualTo(Instant.parse(result.path("updated_at").asText()));
    assertThat(answer.response().headers().firstValue("Location")).contains(at(result));
    assertThat(line.get(at(result)).result().path("name").asText()).isEqualTo("Alice Smith");
    assertThat(audited(result))
        .singleElement()
        .satisfies(
            entry -> assertThat(entry).containsEntry("action", "participant enrolled"),
            entry -> assertThat(entry).containsEntry("actor", "admin"),
            entry -> assertThat(entry).containsEntry("role", "admin"));
  }

  @Test
  void aNationalNumberIsStoredAsE164AndNothingIsDoubtful() {
    var result = line.enrol(Map.of("phone_number", "(206) 555-0147")).result();
    assertThat(result.path("phone_number").asText()).isEqualTo("+12065550147");
    assertThat(result.path("warnings").isArray()).isTrue();
    assertThat(result.path("warnings")).isEmpty();
    assertThat(result.path("timezone").asText()).isEqualTo("UTC");
    assertThat(result.path("timezone_assumed").asBoolean()).isTrue();
    assertThat(result.has("name")).isFalse();
  }

  @Test
  void aBlankTextCountsAsNotSaid() {
    var result = line.enrol(someoneWith("name", " \t ")).result();
    assertThat(result.path("id").asText()).isNotEmpty();
    assertThat(result.has("name")).isFalse();
  }

  @Test
  void aBackgroundMayHaveLinesAndAnyScript() {
    var result =
        line.enrol(someoneWith("background", " Lehrerin 👩‍🏫\r\n\tмама двоих \n")).result();
    assertThat(result.path("background").asText()).isEqualTo("Lehrerin 👩‍🏫\n\tмама двоих");
  }

  @Test
  void theLongestTextsFit() {
    var said = someoneWith("name", "😀".repeat(100));
    said.put("background", "ü".repeat(10_000));
    assertThat(line.enrol(said).status()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(strings = {"simulator", "Simulator", " SIMULATOR ", "phone simulator"})
  void aChannelIsTakenInTheWordsThatPagesShow(String channel) {
    var answer = line.enrol(someoneWith("channel", channel));
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.result().path("channel").asText()).isEqualTo("simulator");
  }

  private static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of("phone_number", null, "phone_number: missing"),
        Arguments.of("phone_number", "", "phone_number: missing"),
        Arguments.of("phone_number", "call me", "phone_number: not a phone number"),
        Arguments.of("phone_number", "+1234567", "enter it like +1 555 010 0142"),
        Arguments.of("timezone", "Mars/Base", "'Mars/Base' is not a time zone; use an IANA name"),
        Arguments.of("timezone", "Berlin", "such as Europe/Berlin"),
        Arguments.of("flow", "diet", "flow: unknown; expected one of"),
        Arguments.of("channel", "sms", "channel: sms is not configured"),
        Arguments.of("channel", "WhatsApp", "channel: whatsapp is not configured"),
        Arguments.of("channel", "whatsapp", "expected simulator"),
        Arguments.of("channel", "pigeon", "channel: unknown; expected simulator"),
        Arguments.of("name", "x".repeat(201), "name: too long; at most 200"),
        Arguments.of("ethnicity", "😀".repeat(101), "ethnicity: too long; at most 200"),
        Arguments.of("background", "x".repeat(10_001), "background: too long; at most 10000"),
        Arguments.of("name", "Robin\u0000", "name: contains control characters"),
        Arguments.of("name", "Robin\nBackground: a king", "on one line"),
        Arguments.of("gender", "a\u2028b", "gender: contains control characters"),
        Arguments.of("background", "a\u0007b", "background: contains control characters"),
        Arguments.of(
            "name", "Robin \u202Eelpmaxe", "name: contains invisible characters that change"),
        Arguments.of("name", "\u2066Robin", "such as U+202E; remove them"),
        Arguments.of("name", "Robin\u200F", "name: contains invisible characters"),
        Arguments.of("gender", "\u202Aa", "gender: contains invisible characters"),
        Arguments.of("phone", "+12065550100", "Unknown field 'phone'; accepted fields: background"),
        Arguments.of("status", "paused", "Unknown field 'status'"),
        Arguments.of("name", true, "'name' has a value of the wrong type; expected a string"),
        Arguments.of("phone_number", 491700000000L, "wrong type; expected a string"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatIsNotAcceptedIsSaidInASentence(String field, Object value, String sentence) {
    var before = enrolled();
    var answer = line.enrol(someoneWith(field, value));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body().path("status").asText()).isEqualTo("error");
    assertThat(answer.message()).contains(sentence).endsWith(".");
    assertThat(enrolled()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "nonsense", "[]", "{\"phone_number\": {}}", "{\"phone_number\": [\"+12\"]}"})
  void aBodyThatIsNoEnrolmentIsRefused(String body) {
    var answer = line.send("POST", PARTICIPANTS, body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).endsWith(".");
  }

  @Test
  void aNumberIsEnrolledOnce() {
    var said = someone();
    line.enrol(said);
    var answer = line.enrol(said);
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.message()).contains("already enrolled as conv_");
    assertThat(answer.message()).doesNotContain(number(said).substring(1));
  }

  @Test
  void ofTwentyEnrolmentsAtOnceOneSucceedsAndTheOthersAreToldSo() throws InterruptedException {
    var said = someone();
    var statuses =
        atOnce(20, () -> line.enrol(said)).stream()
            .collect(Collectors.groupingBy(Answer::status, Collectors.counting()));
    assertThat(statuses).isEqualTo(Map.of(201, 1L, 409, 19L));
  }

  @Test
  void onlyResearchersAndAboveMayAsk() {
    assertThat(line.sendAs("", "GET", PARTICIPANTS, "").status()).isEqualTo(401);
    assertThat(line.sendAs("wrong", "POST", PARTICIPANTS, write(someone())).status())
        .isEqualTo(401);
    var researcher = line.key("Field lab", "researcher");
    var answer = line.sendAs(researcher, "POST", PARTICIPANTS, write(someone()));
    assertThat(answer.status()).isEqualTo(201);
    assertThat(audited(answer.result()))
        .singleElement()
        .satisfies(
            entry -> assertThat(entry).containsEntry("actor", "Field lab"),
            entry -> assertThat(entry).containsEntry("role", "researcher"));
  }

  @Test
  void aListIsWalkedToItsEndByItsCursor() {
    for (int i = 0; i < 3; i++) {
      line.enrolled();
    }
    var found = new ArrayList<String>();
    var next = "";
    do {
      var page = line.get(PARTICIPANTS + "?limit=2" + (next.isEmpty() ? "" : "&cursor=" + next));
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.result().size()).isBetween(1, 2);
      page.result().forEach(one -> found.add(one.path("id").asText()));
      next = page.body().path("next_cursor").asText();
    } while (!next.isEmpty());
    var stored =
        line.rows("SELECT id FROM participant WHERE erasing = 'no' ORDER BY seq DESC").stream()
            .map(row -> row.get("id"))
            .toList();
    assertThat(found).isEqualTo(stored);
  }

  @Test
  void aListIsFilteredByStatusAndFlow() {
    var robin = line.enrolled();
    line.send("PUT", at(robin), "{\"status\": \"completed\"}");
    var completed = line.get(PARTICIPANTS + "?status=completed&flow=habit").result();
    assertThat(completed.findValuesAsText("id")).contains(robin.path("id").asText());
    assertThat(completed.findValuesAsText("status")).containsOnly("completed");
    assertThat(line.get(PARTICIPANTS + "?q=nobody&flow=habit").body().toString())
        .isEqualTo("{\"status\":\"ok\",\"result\":[]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=201",
        "limit=x",
        "cursor=x",
        "status=gone",
        "flow=none",
        "limt=3",
        "Limit=3"
      })
  void aBadQueryIsSaidInASentence(String query) {
    var answer = line.get(PARTICIPANTS + "?" + query);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains(query.substring(0, query.indexOf('='))).endsWith(".");
  }

  @Test
  void anUpdateKeepsWhatItDoesNotNameAndClearsWhatIsNull() {
    var robin = line.enrol(someoneWith("gender", "woman")).result();
    var answer =
        line.send(
            "PUT",
            at(robin),
            "{\"gender\": null, \"background\": \"Gardener\", \"timezone\": \"Asia/Tokyo\"}");
    assertThat(answer.status()).isEqualTo(200);
    var after = line.get(at(robin)).result();
    assertThat(after.path("name").asText()).isEqualTo("Robin Example");
    assertThat(after.has("gender")).isFalse();
    assertThat(after.path("background").asText()).isEqualTo("Gardener");
    assertThat(after.path("timezone").asText()).isEqualTo("Asia/Tokyo");
    assertThat(after.path("timezone_assumed").asBoolean(true)).isFalse();
    var entry = audited(robin).getLast();
    assertThat(entry).containsEntry("action", "participant changed");
    assertThat(String.valueOf(entry.get("old_value"))).contains("UTC", "gender: woman");
    assertThat(String.valueOf(entry.get("new_value")))
        .contains("Asia/Tokyo", "background: Gardener")
        .doesNotContain("gender");
  }

  @Test
  void anUpdateThatChangesNothingIsNotAudited() {
    var robin = line.enrolled();
    var answer = line.send("PUT", at(robin), "{\"name\": \"Robin Example\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(line.send("PUT", at(robin), "{}").status()).isEqualTo(200);
    assertThat(audited(robin)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"phone_number\": \"+12065550100\"}|Unknown field 'phone_number'",
        "{\"flow\": \"habit\"}|Unknown field 'flow'",
        "{\"status\": \"gone\"}|status: unknown; expected one of active, paused, completed, withdrawn",
        "{\"status\": null}|status: cannot be cleared",
        "{\"timezone\": null}|timezone: cannot be cleared",
        "{\"timezone\": \"Nowhere\"}|is not a time zone",
        "{\"name\": 5}|name: expected a text",
        "{\"name\": \"a\\nb\"}|on one line",
        "{\"name\": \"Robin\\u202Eelpmaxe\"}|name: contains invisible characters",
        "[1]|."
      })
  void anUpdateThatIsNotAcceptedChangesNothing(String bodyAndSentence) {
    var robin = line.enrolled();
    var parts = bodyAndSentence.split("\\|", 2);
    var answer = line.send("PUT", at(robin), parts[0]);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains(parts[1]).endsWith(".");
    assertThat(line.get(at(robin)).result().path("updated_at")).isEqualTo(robin.path("updated_at"));
  }

  @Test
  void afterWithdrawnComesOnlyActive() {
    var robin = line.enrolled();
    assertThat(line.send("PUT", at(robin), "{\"status\": \"withdrawn\"}").status()).isEqualTo(200);
    var refused = line.send("PUT", at(robin), "{\"status\": \"paused\"}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.message()).contains("a withdrawn participant can only be made active again");
    assertThat(line.send("PUT", at(robin), "{\"status\": \"active\"}").status()).isEqualTo(200);
  }

  @Test
  void whoIsNotThereIs404() {
    for (var answer :
        List.of(
            line.get(PARTICIPANTS + "/conv_none"),
            line.send("PUT", PARTICIPANTS + "/conv_none", "{}"),
            line.send("DELETE", PARTICIPANTS + "/conv_none", ""))) {
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.message()).isEqualTo("There is no participant with this id.");
    }
  }

  @Test
  void aDeletedParticipantIsGoneAtOnceAndErasedAfterTheLastText() {
    var said = someone();
    var robin = line.enrol(said).result();
    line.send("PUT", at(robin), "{\"background\": \"Gardener\"}");
    assertThat(line.send("DELETE", at(robin), "").status()).isEqualTo(200);
    assertThat(line.get(at(robin)).status()).isEqualTo(404);
    assertThat(line.send("DELETE", at(robin), "").status()).isEqualTo(404);
    awaitErasure(robin);
    assertThat(line.rows("SELECT id FROM address WHERE phone = ?", number(said))).isEmpty();
    assertThat(messages(robin)).isEmpty();
    assertThat(audited(robin))
        .extracting(entry -> entry.get("action"))
        // Wiping the database may have finished before this look, or not.
        .filteredOn(action -> !action.equals("erasure finished"))
        .containsExactly(
            "participant enrolled",
            "participant changed",
            "participant deleted",
            "participant erased");
    assertThat(audited(robin))
        .allSatisfy(entry -> {
          assertThat(entry.get("old_value")).isNull();
          assertThat(entry.get("new_value")).isNull();
        });
    assertThat(line.enrol(said).status()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "keep_transcript=maybe",
        "keep_transcript=",
        "keep_transcript=TRUE",
        "keeptranscript=true"
      })
  void anErasureThatMayNotBeMeantSoErasesNothing(String query) {
    var robin = line.enrol(someone()).result();
    var answer = line.send("DELETE", at(robin) + "?" + query, "");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains("keep_transcript").endsWith(".");
    assertThat(line.get(at(robin)).status()).isEqualTo(200);
  }

  @Test
  void aTranscriptMayOutliveItsParticipant() {
    var robin = line.enrolled();
    await().until(() -> !messages(robin).isEmpty());
    line.send("DELETE", at(robin) + "?keep_transcript=true", "");
    awaitErasure(robin);
    assertThat(messages(robin)).isNotEmpty();
  }

  @Test
  void anOptOutOutlivesTheErasureAndTheNextEnrolmentIsWarned() {
    var said = someone();
    var robin = line.enrol(said).result();
    line.bean(Participants.class).optOut(robin.path("id").asText(), OptOutSource.KEYWORD);
    line.send("DELETE", at(robin), "");
    awaitErasure(robin);
    var again = line.enrol(said).result();
    assertThat(again.path("opted_out").asBoolean()).isTrue();
    assertThat(again.path("warnings").toString()).contains("opted out with STOP");
  }

  private static List<Map<String, Object>> messages(JsonNode participant) {
    return line.rows(
        "SELECT id FROM message WHERE participant_id = ?", participant.path("id").asText());
  }

  private static void awaitErasure(JsonNode participant) {
    await()
        .until(() ->
            line.rows("SELECT id FROM participant WHERE id = ?", participant.path("id").asText())
                .isEmpty());
  }

  @Test
  void aRepeatedRequestIsCarriedOutOnceAndAnsweredAlike() {
    var said = someone();
    var first = line.enrol(said, "Idempotency-Key", "first-request");
    var second = line.enrol(said, "Idempotency-Key", "first-request");
    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(first.response().headers().firstValue("Idempotent-Replay")).isEmpty();
    assertThat(second.response().headers().firstValue("Idempotent-Replay")).contains("true");
    assertThat(second.response().headers().firstValue("Location"))
        .isEqualTo(first.response().headers().firstValue("Location"));
    assertThat(audited(first.result())).hasSize(1);
  }

  @Test
  void aKeyBelongsToOneRequestOfOneHolder() {
    var said = someone();
    line.enrol(said, "Idempotency-Key", "mine");
    var other = line.enrol(someone(), "Idempotency-Key", "mine");
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.message()).contains("use a new key");
    var researcher = line.key("Another lab", "researcher");
    var theirs =
        line.sendAs(researcher, "POST", PARTICIPANTS, write(someone()), "Idempotency-Key", "mine");
    assertThat(theirs.status()).isEqualTo(201);
    assertThat(theirs.response().headers().firstValue("Idempotent-Replay")).isEmpty();
  }

  @Test
  void aRequestThatFailedMayBeSentAgainUnderItsKey() {
    var said = someone();
    line.enrol(said);
    var refused = line.enrol(said, "Idempotency-Key", "failed");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(line.enrol(someone(), "Idempotency-Key", "failed").status()).isEqualTo(201);
  }

  @Test
  void twentyRepetitionsAtOnceEnrolOnePerson() throws InterruptedException {
    var said = someone();
    var answers = atOnce(20, () -> line.enrol(said, "Idempotency-Key", "twenty"));
    assertThat(answers).extracting(Answer::status).containsOnly(201);
    assertThat(answers.stream().map(answer -> answer.result().path("id").asText()).distinct())
        .hasSize(1);
    assertThat(
            answers.stream()
                .filter(answer ->
                    answer.response().headers().firstValue("Idempotent-Replay").isEmpty()))
        .hasSize(1);
  }

  @Test
  void aKeptAnswerGoesWithTheParticipantItTellsOf() {
    var said = someone();
    var robin = line.enrol(said, "Idempotency-Key", "erased-later").result();
    line.send("DELETE", at(robin), "");
    awaitErasure(robin);
    assertThat(
            line.rows(
                "SELECT response FROM idempotency WHERE response LIKE '%"
                    + robin.path("id").asText()
                    + "%'"))
        .isEmpty();
    var repeated = line.enrol(said, "Idempotency-Key", "erased-later");
    assertThat(repeated.status()).isEqualTo(410);
    assertThat(repeated.message()).contains("has since been erased, edited or removed");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 256})
  void aKeyOfAnotherLengthIsRefused(int length) {
    var answer = line.enrol(someone(), "Idempotency-Key", "k".repeat(length));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains("Idempotency-Key: expected 1 to 255 characters");
  }

  @Test
  void aRepetitionAfterARestartIsAnsweredAlike() {
    try (var other = RestLine.start(RestLine.class)) {
      var said = someone();
      var first = other.enrol(said, "Idempotency-Key", "before-the-restart");
      other.restart();
      var second = other.enrol(said, "Idempotency-Key", "before-the-restart");
      assertThat(second.body()).isEqualTo(first.body());
      assertThat(second.response().headers().firstValue("Idempotent-Replay")).contains("true");
    }
  }

  private static List<Answer> atOnce(int threads, Callable<Answer> act)
      throws InterruptedException {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = new ArrayList<Answer>();
      for (Future<Answer> one : executor.invokeAll(java.util.Collections.nCopies(threads, act))) {
        try {
          answers.add(Objects.requireNonNull(one.get()));
        } catch (ExecutionException e) {
          throw new IllegalStateException(e);
        }
      }
      return answers;
    }
  }

  @Test
  void aResearcherNeitherWithdrawsNorDeletes() {
    var researcher = line.key("Lab without withdrawals", "researcher");
    var robin = PARTICIPANTS + "/" + line.enrolled().path("id").asText();
    assertThat(line.sendAs(researcher, "DELETE", robin, "").status()).isEqualTo(403);
    var withdrawn = line.sendAs(researcher, "PUT", robin, "{\"status\":\"withdrawn\"}");
    assertThat(withdrawn.status()).isEqualTo(403);
    assertThat(withdrawn.message()).startsWith("status: withdrawing a participant");
    assertThat(line.get(robin).result().path("status").asText()).isEqualTo("active");
    assertThat(line.sendAs(researcher, "PUT", robin, "{\"status\":\"paused\"}").status())
        .isEqualTo(200);
    var staff = line.key("Staff with withdrawals", "staff");
    assertThat(line.sendAs(staff, "PUT", robin, "{\"status\":\"withdrawn\"}").status())
        .isEqualTo(200);
    assertThat(line.sendAs(researcher, "PUT", robin, "{\"status\":\"active\"}").status())
        .isEqualTo(403);
    assertThat(line.sendAs(researcher, "PUT", robin, "{\"timezone\":\"UTC\"}").status())
        .isEqualTo(200);
    assertThat(line.sendAs(staff, "DELETE", robin, "").status()).isEqualTo(200);
  }

  @Test
  void theLanguageIsEnrolledChangedAndClearedAndIsInTheExport() {
    var robin = line.send("POST", PARTICIPANTS, write(someoneWith("language", "ES"))).result();
    assertThat(robin.path("language").asText()).isEqualTo("es");
    assertThat(line.get(at(robin) + "/export").response().body().replace(" ", ""))
        .contains("\"language\":\"es\"");

    var changed = line.send("PUT", at(robin), "{\"language\": \"en\"}");
    assertThat(changed.result().path("language").asText()).isEqualTo("en");
    var cleared = line.send("PUT", at(robin), "{\"language\": null}");
    assertThat(cleared.result().path("language").isTextual()).isFalse();
    assertThat(audited(robin))
        .anySatisfy(
            entry -> assertThat(String.valueOf(entry.get("old_value"))).contains("language: es"))
        .anySatisfy(entry ->
            assertThat(String.valueOf(entry.get("new_value"))).contains("language: default"));
    assertThat(line.enrolled().path("language").isTextual()).isFalse();
  }

  @Test
  void aLanguageThatTheFlowLacksIsRefusedWithThoseThatItHas() {
    var french = line.send("POST", PARTICIPANTS, write(someoneWith("language", "fr")));
    assertThat(french.status()).isEqualTo(400);
    assertThat(french.message())
        .isEqualTo("language: the flow habit does not have this language; expected one of en, es.");
    var said = someoneWith("language", "es");
    said.put("flow", "tasks");
    assertThat(line.send("POST", PARTICIPANTS, write(said)).message())
        .isEqualTo("language: the flow tasks does not have this language; expected en.");
    var robin = line.enrolled();
    var changed = line.send("PUT", at(robin), "{\"language\": \"fr\"}");
    assertThat(changed.status()).isEqualTo(400);
    assertThat(changed.message()).contains("expected one of en, es.");
  }
}
