package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.Incidents;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Pages tell apart whom the coach writes to, and who waits for consent, does not consent, opted out
 * or is paused by a crisis.
 */
final class ParticipationTest {

  private static final String STUDY =
      """
      consent:
        version: "1"
        text: An automated AI coach writes to you. Do you want to take part?
      """;

  private static final String CRISIS = "I want to kill myself tonight";

  private static final Pattern COUNT =
      Pattern.compile(
          "href=\"/participants\\?participation=([a-z_]+)\"[^>]*><strong>([0-9]+)</strong> ([^<]+)</a>");

  private static final Pattern PERSON = Pattern.compile("id=\"person-(conv_[^\"]+)\"");
  private static final Pattern NOTE = Pattern.compile("<p id=\"part-hidden\"[^>]*>");

  private static final Map<Participation, Set<String>> PEOPLE = new EnumMap<>(Participation.class);

  private static RestLine line;
  private static String staff;
  private static String safety;
  private static String ada;
  private static String cora;
  private static String rita;
  private static String dina;

  @BeforeAll
  static void start() {
    line = RestLine.of(ParticipationTest.class, STUDY, Map.of());
    staff = line.key("Staff Example", "staff");
    safety = line.key("Safety Example", "safety");
    ada = consented("Ada Active");
    cora = consented("Cora Crisis");
    rita = consented("Rita Released");
    var otto = consented("Otto Opted");
    var paul = consented("Paul Paused");
    var carl = consented("Carl Completed");
    var wanda = enrolled("Wanda Waiting", null);
    dina = enrolled("Dina Declined", null);
    var yara = enrolled("Yara Young", null);

    for (var id : List.of(ada, cora)) {
      text(id, "every day at 8:15");
      awaitRow("SELECT 1 FROM occurrence WHERE participant_id = ? AND status = 'planned'", id);
      missed(id);
    }
    for (var id : List.of(cora, rita, paul)) {
      text(id, CRISIS);
      awaitRow(
          "SELECT 1 FROM message WHERE participant_id = ? AND author = 'participant' AND incident_id IS NOT NULL",
          id);
    }
    release(rita);
    text(otto, "STOP");
    awaitRow(
        "SELECT 1 FROM participant p JOIN address a ON a.id = p.address_id WHERE p.id = ? AND a.opted_out = TRUE",
        otto);
    status(paul, "paused");
    status(carl, "completed");
    text(dina, "34");
    awaitConsent(dina, "asked");
    text(dina, "no");
    awaitConsent(dina, "declined");
    text(yara, "15");
    awaitConsent(yara, "not_eligible");
    awaitConsent(wanda, "age_asked");

    PEOPLE.put(Participation.ACTIVE, Set.of(ada, rita));
    PEOPLE.put(Participation.WAITING_FOR_CONSENT, Set.of(wanda));
    PEOPLE.put(Participation.NO_CONSENT, Set.of(dina, yara));
    PEOPLE.put(Participation.OPTED_OUT, Set.of(otto));
    PEOPLE.put(Participation.PAUSED_BY_INCIDENT, Set.of(cora));
    PEOPLE.put(Participation.PAUSED, Set.of(paul));
    PEOPLE.put(Participation.COMPLETED, Set.of(carl));
    PEOPLE.put(Participation.WITHDRAWN, Set.of());
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String enrolled(String name, @Nullable String version) {
    var said = RestLine.someone();
    said.put("name", name);
    if (version != null) {
      said.put("consent_version", version);
    }
    var id = line.enrol(said).result().path("id").asText();
    awaitRow("SELECT 1 FROM turn WHERE participant_id = ? AND status = 'done'", id);
    return id;
  }

  private static String consented(String name) {
    return enrolled(name, "1");
  }

  private static void awaitRow(String sql, Object... arguments) {
    await().until(() -> !line.rows(sql, arguments).isEmpty());
  }

  private static void awaitConsent(String id, String word) {
    awaitRow("SELECT 1 FROM participant WHERE id = ? AND consent = ?", id, word);
  }

  private static void text(String id, String words) {
    // A text does not answer a question that is still in the outbox.
    awaitRow(
        "SELECT 1 FROM participant p WHERE p.id = ? AND NOT EXISTS (SELECT 1 FROM outbox o"
            + " WHERE o.participant_id = p.id AND o.status = 'planned')",
        id);
    var sent =
        line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", words)));
    assertThat(sent.status()).isBetween(200, 299);
  }

  private static void status(String id, String status) {
    var changed =
        line.send("PUT", PARTICIPANTS + "/" + id, RestLine.write(Map.of("status", status)));
    assertThat(changed.status()).isEqualTo(200);
  }

  private static void missed(String id) {
    var now = Instant.parse(line.get("/clock").result().path("now").asText());
    Rows.of(line)
        .prompt(
            new Rows.Prompt(
                id,
                LocalDate.ofInstant(now, ZoneOffset.UTC).minusDays(1).toString(),
                "missed",
                now.minus(Duration.ofHours(2)),
                "it was more than 2 h late",
                null,
                null,
                false));
  }

  private static void release(String id) {
    var incidents = line.bean(Incidents.class);
    var incident = incidents.crisis(id).orElseThrow();
    incidents.acknowledge(incident, "a test");
    incidents.record(incident, EntryKind.CONTACT, "Reached by telephone.", "a test");
    incidents.release(incident, IncidentOutcome.NO_CONCERN_FOUND, null, "a test");
  }

  private static String page(String key, String address) {
    var answer = line.sendAs(key, "GET", address, "");
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  private static List<String> causes(String id) {
    return line.get(PARTICIPANTS + "/" + id + "/silence").result().findValuesAsText("cause");
  }

  /** Follows the counts of a page to the lists of the people counted. */
  private static void everyCountLeadsToThePeopleCounted(String address, Set<Participation> shown) {
    var counts =
        COUNT
            .matcher(page(RestLine.ADMIN, address))
            .results()
            .collect(
                Collectors.toMap(
                    it -> Participation.of(it.group(1)), it -> it.group(2) + " " + it.group(3)));
    assertThat(counts.keySet()).isEqualTo(shown);
    counts.forEach((each, count) -> {
      var people = PEOPLE.getOrDefault(each, Set.of());
      assertThat(count).isEqualTo(people.size() + " " + each.title());
      var listed =
          PERSON
              .matcher(page(RestLine.ADMIN, "/participants?participation=" + each.word()))
              .results()
              .map(it -> it.group(1))
              .collect(Collectors.toSet());
      assertThat(listed).as(each.word()).isEqualTo(people);
    });
  }

  @Test
  void todayCountsApartWhoIsCoachedAndWhyOthersAreNot() {
    everyCountLeadsToThePeopleCounted(
        "/",
        Set.of(
            Participation.ACTIVE,
            Participation.WAITING_FOR_CONSENT,
            Participation.NO_CONSENT,
            Participation.OPTED_OUT,
            Participation.PAUSED_BY_INCIDENT,
            Participation.PAUSED));
  }

  @Test
  void thePageOfTheStudyCountsEverybodyOnce() {
    everyCountLeadsToThePeopleCounted("/study", Set.of(Participation.values()));
  }

  @Test
  void theApiFiltersAndCountsInTheSameWayAndKeepsItsStatuses() {
    var enrolment = line.get("/study/figures").result().path("enrolment");
    for (var each : Participation.values()) {
      var people = PEOPLE.getOrDefault(each, Set.of());
      var found =
          StreamSupport.stream(
                  line.get(PARTICIPANTS + "?participation=" + each.word()).result().spliterator(),
                  false)
              .map(it -> it.path("id").asText())
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(found).as(each.word()).isEqualTo(people);
      assertThat(enrolment.path("by_participation").path(each.word()).asInt())
          .isEqualTo(people.size());
    }
    assertThat(enrolment.path("by_status").path("active").asInt()).isEqualTo(7);
    assertThat(line.get(PARTICIPANTS + "?status=active").result()).hasSize(7);
    assertThat(line.get(PARTICIPANTS + "?participation=asleep").message())
        .startsWith("participation: unknown; expected one of active, waiting_for_consent");
  }

  @Test
  void theListOfPeopleSaysWhyTheCoachDoesNotWrite() {
    var people = page(RestLine.ADMIN, "/participants");
    assertThat(people)
        .containsSubsequence("Yara Young", "dot-warn", ">too young<", "Dina Declined")
        .containsSubsequence("Dina Declined", "dot-warn", ">declined<", "Wanda Waiting")
        .containsSubsequence("Wanda Waiting", "dot-warn", ">waiting for consent<", "Carl Completed")
        .containsSubsequence("Cora Crisis", "dot-warn", ">paused by an incident<", "Ada Active");
    assertThat(page(RestLine.ADMIN, "/participants?participation=paused_by_incident"))
        .contains("value=\"paused_by_incident\" selected")
        .doesNotContain("Ada Active");
  }

  @Test
  void thePageOfAParticipantSaysTheSameAsTheCounts() {
    PEOPLE.forEach((each, people) ->
        people.forEach(id ->
            assertThat(page(RestLine.ADMIN, "/participants/" + id))
                .contains(">" + each.title() + "</span></span>")));
  }

  @Test
  void nothingIsDueOrMissingForSomebodyInACrisis() {
    for (var list : List.of("due", "missed")) {
      assertThat(page(RestLine.ADMIN, "/today/" + list))
          .contains("Ada Active")
          .doesNotContain("Cora Crisis");
    }
    assertThat(page(RestLine.ADMIN, "/")).contains("Ada Active");
    assertThat(causes(cora)).startsWith("safety_incident").doesNotContain("next_prompt");
    assertThat(page(staff, "/participants/" + cora))
        .contains(
            "Coaching is paused for a safety incident: the coach does not reply, and no daily prompt",
            "not sent while coaching is paused for a safety incident");
    assertThat(causes(ada)).contains("next_prompt");
  }

  @Test
  void duringACrisisTheFormSaysThatOnlyAReleaseResumesReplies() {
    var only = "resume only after staff with the Safety role release the incident";
    var usual = "Automatic replies resume when the pause ends.";
    assertThat(page(staff, "/participants/" + cora)).contains(only).doesNotContain(usual);
    assertThat(page(staff, "/participants/" + cora + "/news?after=0"))
        .contains("id=\"replies-hint\"", only);
    for (var id : List.of(ada, rita)) {
      assertThat(page(staff, "/participants/" + id)).contains(usual).doesNotContain(only);
    }
    line.send("PUT", PARTICIPANTS + "/" + cora + "/mute", "{\"minutes\":60}");
    assertThat(page(staff, "/participants/" + cora))
        .contains("Automatic replies resume only after the safety incident is released.")
        .doesNotContain("Automatic replies resume then.");
  }

  @Test
  void whoDeclinedHasNoOtherReason() {
    assertThat(causes(dina)).containsExactly("consent");
  }

  @Test
  void whoMayNotReadAnIncidentIsToldWhoMay() {
    for (var id : List.of(cora, rita)) {
      var address = "/participants/" + id;
      assertThat(page(staff, address))
          .contains(
              "Part of this is visible to staff with the Safety role.",
              "They look after participants who may be in danger",
              "an admin can say who they are")
          .doesNotContain(CRISIS);
      assertThat(noteIsHidden(page(staff, address))).isFalse();
      assertThat(noteIsHidden(page(safety, address))).isTrue();
      var turn =
          line.rows(
                  "SELECT turn FROM message WHERE participant_id = ? AND author = 'participant' AND incident_id IS NOT NULL",
                  id)
              .getFirst()
              .get("turn");
      assertThat(noteIsHidden(page(staff, address + "/turns/" + turn))).isFalse();
    }
    assertThat(noteIsHidden(page(staff, "/participants/" + ada))).isTrue();
  }

  private static boolean noteIsHidden(String page) {
    var note = NOTE.matcher(page);
    assertThat(note.find()).isTrue();
    return note.group().contains(" hidden");
  }
}
