package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.security.authentication.Authentication;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.Rows;
import org.habitline.SettableClock;
import org.habitline.SqlCounts;
import org.habitline.TestClocks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of participants: its figures, orders, filters, columns, tags and saved views. */
final class PeopleTableTest {

  private static final String FORM = "application/x-www-form-urlencoded";

  private static final Pattern PERSON = Pattern.compile("id=\"person-(conv_[^\"]+)\"");
  private static final Pattern VIEW = Pattern.compile("/participants/views/(view_[^/]+)/delete");

  private static final Pattern VALUES = Pattern.compile("\\?(, ?\\?)+");

  private static final String WAITING =
      "SELECT 1 AS one FROM outbox WHERE open = TRUE"
          + " UNION ALL SELECT 1 FROM inbox WHERE status = 'waiting'";

  private static final SettableClock SYSTEM = SettableClock.running();

  private static RestLine line;
  private static Rows rows;
  private static Instant now;
  private static String ada;
  private static String bela;
  private static String cleo;

  @BeforeAll
  static void start() {
    line =
        RestLine.of(
            PeopleTableTest.class,
            """
            fields:
              - {name: site, label: Clinic, type: choice, choices: [North, South]}
              - {name: remark, type: text}
            """,
            Map.of(),
            new SqlCounts(),
            new TestClocks(SettableClock.running(), SYSTEM));
    rows = Rows.of(line);
    now = line.bean(Clock.class).instant().truncatedTo(ChronoUnit.MICROS);
    ada = enrolled("Ada Table", "T-3", "North");
    bela = enrolled("bela table", "T-1", "South");
    cleo = enrolled("Cleo Table", "T-2", "");
    prompted(ada, 1, true);
    prompted(ada, 2, true);
    prompted(ada, 3, false);
    prompted(bela, 4, true);
    prompted(cleo, 5, false);
    rows.prompt(new Rows.Prompt(ada, date(6), "missed", before(6), "no phone", null, null, false));
    rows.prompt(new Rows.Prompt(ada, date(-1), "planned", before(-1), null, null, null, false));
    heard(ada, 9);
    heard(bela, 1);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String enrolled(String name, String studyId, String site) {
    var said = RestLine.someone();
    said.put("name", name);
    said.put("study_id", studyId);
    said.put("timezone", "Asia/Tokyo");
    if (!site.isEmpty()) {
      said.put("fields", Map.of("site", site));
    }
    var answer = line.enrol(said);
    assertThat(answer.status()).as(answer.message()).isEqualTo(201);
    return answer.result().path("id").asText();
  }

  private static Instant before(int days) {
    return now.minus(Duration.ofDays(days));
  }

  private static String date(int days) {
    return before(days).toString().substring(0, 10);
  }

  private static void prompted(String id, int days, boolean answered) {
    rows.prompt(
        new Rows.Prompt(
            id,
            date(days),
            "sent",
            before(days),
            null,
            before(days),
            answered ? before(days).plusSeconds(60) : null,
            false));
  }

  private static void heard(String id, int days) {
    rows.write(
        """
        INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)
        VALUES (?, ?, 'user', 'words', 'simulator', 1, 'participant', ?)
        """,
        "msg_" + id,
        id,
        before(days));
    rows.write("UPDATE participant SET enrolled_at = ? WHERE id = ?", before(30), id);
  }

  private static List<String> listed(String query) {
    var answer = line.get(PARTICIPANTS + "?q=table&" + query);
    assertThat(answer.status()).as(query + answer.message()).isEqualTo(200);
    return answer.result().findValuesAsText("id");
  }

  private static JsonNode figures(String id) {
    return line.get(PARTICIPANTS + "/" + id).result().path("figures");
  }

  private static String page(String query, String... headers) {
    var answer = line.send("GET", "/participants?" + query, "", headers);
    assertThat(answer.status()).as(query).isEqualTo(200);
    return answer.response().body();
  }

  private static List<String> people(String page) {
    return PERSON.matcher(page).results().map(it -> it.group(1)).toList();
  }

  private static Answer form(String path, Map<String, String> said) {
    var body = new StringBuilder();
    said.forEach((name, value) ->
        body.append(body.isEmpty() ? "" : "&")
            .append(name)
            .append('=')
            .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return line.post(path, FORM, body.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String location(Answer answer) {
    return answer.response().headers().firstValue("Location").orElse("");
  }

  private static String tag(String id, String tag) {
    return PARTICIPANTS
        + "/"
        + id
        + "/tags/"
        + URLEncoder.encode(tag, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Test
  void theFiguresOfEveryParticipantAddUpToThoseOfTheStudy() {
    assertThat(figures(ada).path("prompts_sent").asInt()).isEqualTo(3);
    assertThat(figures(ada).path("prompts_answered").asInt()).isEqualTo(2);
    assertThat(figures(ada).path("answer_rate").asDouble()).isEqualTo(2.0 / 3);
    assertThat(Instant.parse(figures(ada).path("last_prompt_at").asText())).isEqualTo(before(1));
    assertThat(Instant.parse(figures(ada).path("next_prompt_at").asText())).isEqualTo(before(-1));
    assertThat(Instant.parse(figures(ada).path("last_heard_at").asText())).isEqualTo(before(9));
    assertThat(figures(cleo).path("last_heard_at").isMissingNode()).isTrue();
    var sent = 0;
    var answered = 0;
    for (var one : line.get(PARTICIPANTS + "?limit=200").result()) {
      sent += one.path("figures").path("prompts_sent").asInt();
      answered += one.path("figures").path("prompts_answered").asInt();
    }
    var study = line.get("/study/figures?from=" + date(20) + "&to=" + date(-2)).result();
    assertThat(study.at("/adherence/all/sent").asInt()).isEqualTo(sent);
    assertThat(study.at("/adherence/all/answered").asInt()).isEqualTo(answered);
  }

  @ParameterizedTest
  @CsvSource({
    "enrolled, abc",
    "-enrolled, cba",
    "name, abc",
    "-name, cba",
    "study_id, bca",
    "-study_id, acb",
    "status, cba",
    "last_heard, abc",
    "-last_heard, bac",
    "last_prompt, cba",
    "-last_prompt, abc",
    "next_prompt, acb",
    "answer_rate, cab",
    "-answer_rate, bac"
  })
  void theListIsSortedByWhatIsAskedForAndThoseWithoutAValueComeLast(String sort, String expected) {
    var order = new ArrayList<String>();
    expected
        .chars()
        .forEach(letter -> order.add(letter == 'a' ? ada : letter == 'b' ? bela : cleo));
    assertThat(listed("sort=" + sort)).containsExactlyElementsOf(order);
    assertThat(people(page("q=table&sort=" + sort))).containsExactlyElementsOf(order);
    var paged = new ArrayList<String>();
    var cursor = "";
    do {
      var answer = line.get(PARTICIPANTS + "?q=table&limit=2&sort=" + sort + cursor);
      paged.addAll(answer.result().findValuesAsText("id"));
      var next = answer.body().path("next_cursor").asText();
      cursor = next.isEmpty() ? "" : "&cursor=" + next;
    } while (!cursor.isEmpty());
    assertThat(paged).containsExactlyElementsOf(order);
  }

  @ParameterizedTest
  @CsvSource({
    "field.site=north, a",
    "field.site=South, b",
    "field.site=, abc",
    "silent_days=5, a",
    "silent_days=10, ''",
    "channel=simulator, abc",
    "channel=sms, ''",
    "language=en, abc",
    "flow=habit&field.site=South, b"
  })
  void filtersNarrowTheListOverRestAndOnThePage(String query, String expected) {
    var ids = expected.chars().mapToObj(it -> it == 'a' ? ada : it == 'b' ? bela : cleo).toList();
    assertThat(listed(query)).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(people(page("q=table&" + query))).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(
            line.bean(PeopleSearch.class)
                .ids(PeopleSearch.Wanted.of(parameters("q=table&" + query)), PeopleSearch.MOST_IDS))
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  private static Map<String, String> parameters(String query) {
    var parameters = new LinkedHashMap<String, String>();
    for (var pair : query.split("&", -1)) {
      parameters.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
    }
    return parameters;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sort=shoe_size",
        "silent_days=0",
        "silent_days=many",
        "channel=pigeon",
        "language=xx",
        "tag=%2F",
        "field.colour=red",
        "sort=name&cursor=-1",
        "colour=red"
      })
  void whatIsNotAcceptedIsRefused(String query) {
    assertThat(line.get(PARTICIPANTS + "?" + query).status()).as(query).isEqualTo(400);
    assertThat(line.get("/participants?" + query).status()).as(query).isEqualTo(400);
  }

  @Test
  void thePageShowsTimesOfTheParticipantAndCountsBesideTheRate() {
    var page = page("q=Ada+Table");
    assertThat(page)
        .contains("67%", "2 of 3", "9 days", "in Asia/Tokyo", "Tomorrow ")
        .contains("Last 14 days: 0 done, 2 answered, outcome unknown, 1 no answer")
        .contains("sort=study_id", "sort=-last_heard")
        .doesNotContain("aria-sort");
    assertThat(page("sort=-last_heard")).contains("aria-sort=\"descending\"", "sort=last_heard\"");
  }

  @Test
  void tabsCountWhoMatchesTheOtherFilters() {
    assertThat(page("q=table&field.site=north"))
        .containsSubsequence("By status", "All</span><span class=\"n\">1<")
        .contains("q=table&amp;field.site=north&amp;participation=active", "1 participant matches");
  }

  @Test
  void columnsAreChosenAndRememberedInTheBrowser() {
    assertThat(page("")).contains(">Module</th>").doesNotContain(">Time zone</th>");
    var answer =
        form(
            "/participants/columns",
            Map.of("column.zone", "on", "column.field.site", "on", "sort", "name"));
    assertThat(answer.status()).isEqualTo(303);
    assertThat(location(answer)).isEqualTo("/participants?sort=name");
    var cookie = answer.response().headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("zone~field.site", "HTTPOnly", "SameSite=Strict");
    assertThat(page("q=Ada+Table", "Cookie", cookie.substring(0, cookie.indexOf(';'))))
        .contains(">Time zone</th>", ">Clinic</th>", "Asia/Tokyo", ">North</td>")
        .doesNotContain(">Module</th>");
    assertThat(page("columns=zone,nonsense"))
        .contains(">Time zone</th>")
        .doesNotContain(">Flow</th>");
    assertThat(
            form("/participants/columns", Map.of("standard", "true"))
                .response()
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow())
        .contains("Max-Age=0");
  }

  @Test
  void tagsAreAddedFoundRemovedAndRecorded() {
    var tagged = line.send("PUT", tag(cleo, "  Pilot  1 "), "");
    assertThat(tagged.result()).hasToString("[\"pilot 1\"]");
    assertThat(line.send("PUT", tag(cleo, "PILOT 1"), "").result()).hasSize(1);
    assertThat(line.get(PARTICIPANTS + "/" + cleo).result().path("tags"))
        .hasToString("[\"pilot 1\"]");
    assertThat(listed("tag=Pilot+1")).containsExactly(cleo);
    assertThat(line.get(PARTICIPANTS + "?q=pilot").result().findValuesAsText("id"))
        .containsExactly(cleo);
    assertThat(page("tag=pilot+1")).contains("<span class=\"tag\">pilot 1</span>");
    assertThat(form("/participants/" + cleo + "/tags", Map.of("tag", "from the page")).status())
        .isEqualTo(303);
    var refused = form("/participants/" + cleo + "/tags", Map.of("tag", "<b>"));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body()).contains("role=\"alert\"");
    assertThat(line.get("/participants/" + cleo).response().body())
        .contains("/participants?tag=pilot", "Remove<span");
    assertThat(line.get(PARTICIPANTS + "/" + cleo + "/export").body().path("tags").toString())
        .contains("from the page", "pilot 1");
    form("/participants/" + cleo + "/tags/remove", Map.of("tag", "from the page"));
    assertThat(line.send("DELETE", tag(cleo, "pilot 1"), "").result()).isEmpty();
    assertThat(listed("tag=pilot+1")).isEmpty();
    assertThat(
            line.rows(
                "SELECT action FROM audit_event WHERE participant_id = ? AND action LIKE 'tag %'"
                    + " ORDER BY seq",
                cleo))
        .extracting(row -> row.get("action"))
        .containsExactly("tag added", "tag added", "tag removed", "tag removed");
    for (int i = 0; i < 20; i++) {
      assertThat(line.send("PUT", tag(cleo, "many " + i), "").status()).isEqualTo(200);
    }
    assertThat(line.send("PUT", tag(cleo, "one more"), "").status()).isEqualTo(409);
    rows.write("DELETE FROM participant_tag WHERE participant_id = ?", cleo);
  }

  @Test
  void theTeamSavesAndDeletesViewsWithoutWordsAboutOnePerson() {
    var said =
        Map.of(
            "name", "Quiet in the north",
            "q", "Ada Table",
            "field.site", "north",
            "field.remark", "fell off a horse",
            "sort", "last_heard",
            "columns", "module,last_heard");
    var saved = form("/participants/views", said);
    assertThat(saved.status()).isEqualTo(303);
    assertThat(location(saved))
        .isEqualTo("/participants?field.site=north&sort=last_heard&columns=module%2Clast_heard");
    var opened = line.get(location(saved)).response().body();
    assertThat(opened)
        .contains("Quiet in the north", "aria-sort=\"ascending\"")
        .doesNotContain(">Study id</a>");
    assertThat(people(opened)).containsExactly(ada);
    var viewer = line.key("Viewer of views", "viewer");
    var seen = line.sendAs(viewer, "GET", "/participants", "").response().body();
    assertThat(seen)
        .contains("Quiet in the north", "id=\"columns\"")
        .doesNotContain("view-name", "/delete", "name=\"id\"", "selection", "select-page");
    assertThat(form("/participants/views", said).status()).isEqualTo(409);
    assertThat(form("/participants/views", Map.of("name", " ")).status()).isEqualTo(400);
    assertThat(form("/participants/views", Map.of("name", "x", "sort", "y")).status())
        .isEqualTo(400);
    var id = VIEW.matcher(opened).results().findFirst().orElseThrow().group(1);
    assertThat(form("/participants/views/" + id + "/delete", Map.of()).status()).isEqualTo(303);
    assertThat(form("/participants/views/" + id + "/delete", Map.of()).status()).isEqualTo(404);
    assertThat(page("")).doesNotContain("Quiet in the north");
    assertThat(
            line.rows(
                "SELECT action, old_value, new_value FROM audit_event WHERE subject = ? ORDER BY"
                    + " seq",
                id))
        .extracting(row -> row.get("action"))
        .containsExactly("view saved", "view deleted");
  }

  @Test
  void thePageSaysWhichFiltersASavedViewLeavesOut() {
    assertThat(page("q=table&study_id=T-1&field.site=north&field.remark=horse"))
        .contains("may identify a participant: search words, study id, remark.");
    assertThat(page("field.site=north&sort=name")).doesNotContain("Not saved, because");
  }

  @Test
  void rowsCanBeSelectedForAnActionOnThemOrOnAllThatMatch() {
    assertThat(page("q=table&field.site=north"))
        .contains("name=\"id\" value=\"" + ada + "\" form=\"selection\"")
        .containsSubsequence(
            "action=\"/participants/selected\" id=\"selection\"",
            "<input type=\"hidden\" name=\"q\" value=\"table\">",
            "<input type=\"hidden\" name=\"field.site\" value=\"north\">",
            "name=\"action\" value=\"message\"",
            "name=\"action\" value=\"pause\"");
    var researcher = line.key("Researcher of lists", "researcher");
    assertThat(line.sendAs(researcher, "GET", "/participants", "").response().body())
        .doesNotContain("value=\"message\"");
  }

  @Test
  void theListSaysWhoIsTakenOverUntilTheyAreHandedBack() {
    assertThat(page("q=cleo+table")).doesNotContain("Taken over");
    assertThat(form("/participants/" + cleo + "/mute", Map.of("minutes", "60")).status())
        .isEqualTo(303);
    assertThat(page("q=table")).containsOnlyOnce("Taken over");
    assertThat(form("/participants/" + cleo + "/mute", Map.of("minutes", "0")).status())
        .isEqualTo(303);
    assertThat(page("q=cleo+table")).doesNotContain("Taken over");
  }

  @Test
  void aPageCostsAsManyStatementsForManyParticipantsAsForFew() {
    var few = statements("q=bela+table");
    for (int i = 0; i < 8; i++) {
      enrolled("Crowd Member", "C-" + i, "South");
    }
    assertThat(statements("q=crowd")).containsExactlyElementsOf(few).hasSizeLessThan(60);
  }

  /** Returns what one page asks of the database, with lists of values as one value. */
  private static List<String> statements(String query) {
    // The numbers in the menu read more while texts wait to be handled or sent.
    await().until(() -> line.rows(WAITING).isEmpty());
    var sql = line.bean(SqlCounts.class);
    var controller = line.bean(PeopleController.class);
    var staff = Authentication.build("test", List.of("viewer", "researcher", "staff"));
    SYSTEM.stop();
    try {
      // What was kept is too old now, and what takes no time by the clock is read each time.
      SYSTEM.advance(Duration.ofMinutes(2));
      // What is read once is read now.
      controller.list(staff, HttpRequest.GET("/participants?" + query));
      sql.forget();
      controller.list(staff, HttpRequest.GET("/participants?" + query));
    } finally {
      SYSTEM.start();
    }
    return sql.of(Thread.currentThread().getName()).stream()
        .filter(it -> !it.equals(SqlCounts.COMMIT) && !it.equals(SqlCounts.ROLLBACK))
        .map(it -> VALUES.matcher(it).replaceAll("?"))
        .toList();
  }
}
