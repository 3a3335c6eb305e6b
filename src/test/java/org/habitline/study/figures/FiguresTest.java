package org.habitline.study.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.participants.Participants;
import org.habitline.study.report.PublicationBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The study in figures, checked against the rows of the database. */
@Tag("database")
final class FiguresTest {

  private static RestLine line;
  private static Rows rows;
  private LocalDate today;

  @BeforeAll
  static void start() {
    line =
        RestLine.start(
            FiguresTest.class,
            Map.of(
                RestLine.STUDY,
                "target: {participants: 4}\nbudgets: {study: {cost: 2.5}}\n",
                RestLine.PRICES,
                """
                currency: USD
                models: {priced: [{valid_from: 2026-01-01, input: 1, output: 2}]}
                messages: {sms: [{valid_from: 2026-01-01, segment: 0.01}]}
                """));
    rows = Rows.of(line);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void begin() {
    rows.forgetEverybody();
    today = line.bean(Figures.class).today();
  }

  private JsonNode figures() {
    return figures("");
  }

  private JsonNode figures(String query) {
    var answer = line.get("/study/figures" + query);
    assertThat(answer.status()).isEqualTo(200);
    return answer.result();
  }

  private long count(String sql, Object... arguments) {
    var found = line.rows(sql, arguments).getFirst().values().iterator().next();
    return found == null ? 0 : ((Number) found).longValue();
  }

  private static long sum(JsonNode list, String field) {
    return StreamSupport.stream(list.spliterator(), false)
        .mapToLong(item -> item.path(field).asLong())
        .sum();
  }

  /** Somebody who was greeted, and who was answered once. */
  private String texting() {
    var id = line.enrolled().path("id").asText();
    awaitReplies(id, 1);
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"Personal first, please.\"}");
    awaitReplies(id, 2);
    // The last calls of a turn are counted right after its commit.
    await()
        .until(() ->
            sum(figures().path("tokens").path("models"), "calls")
                == count("SELECT COUNT(*) FROM iteration"));
    return id;
  }

  private void awaitReplies(String id, int most) {
    await()
        .until(() ->
            count(
                        "SELECT COUNT(*) FROM outbox WHERE participant_id = ? AND status = 'accepted'",
                        id)
                    >= most
                && count(
                        "SELECT COUNT(*) FROM turn WHERE participant_id = ? AND completed_at IS NULL",
                        id)
                    == 0
                && count(
                        "SELECT COUNT(*) FROM inbox WHERE participant_id = ? AND status = 'waiting'",
                        id)
                    == 0);
  }

  private void prompt(String id, int daysAgo, Duration answeredAfter, boolean done) {
    var date = today.minusDays(daysAgo);
    var at = date.atTime(7, 0).toInstant(ZoneOffset.UTC);
    rows.prompt(
        new Rows.Prompt(
            id,
            date.toString(),
            "sent",
            at,
            null,
            at,
            answeredAfter.isZero() ? null : at.plus(answeredAfter),
            done));
  }

  @Test
  void nobodyIsCountedBeforeAnybodyEnrols() {
    var figures = figures();
    assertThat(figures.path("enrolment").path("total").asLong()).isZero();
    assertThat(figures.path("enrolment").path("days")).hasSize(28);
    assertThat(figures.path("replies").path("all").has("median_seconds")).isFalse();
    assertThat(figures.path("tokens").path("models")).isEmpty();
    assertThat(line.get("/study").response().body()).contains("No participants yet.");
  }

  @Test
  void everyNumberAddsUpWithTheRows() {
    var one = texting();
    var other = texting();
    rows.write("UPDATE participant SET status = 'paused' WHERE id = ?", other);
    rows.write("UPDATE iteration SET prompt_tokens = 100, completion_tokens = 7");
    prompt(one, 0, Duration.ofMinutes(1), true);
    prompt(one, 1, Duration.ofMinutes(2), false);
    prompt(one, 2, Duration.ofMinutes(10), false);
    prompt(other, 2, Duration.ZERO, false);
    rows.prompt(
        new Rows.Prompt(
            other,
            today.minusDays(1).toString(),
            "missed",
            Instant.EPOCH,
            "the line was closed",
            null,
            null,
            false));

    var figures = figures();
    var enrolment = figures.path("enrolment");
    assertThat(enrolment.path("total").asLong())
        .isEqualTo(count("SELECT COUNT(*) FROM participant"))
        .isEqualTo(sum(enrolment.path("days"), "enrolled"))
        .isEqualTo(enrolment.path("days").get(27).path("total").asLong());
    assertThat(enrolment.path("by_status").path("active").asLong()).isEqualTo(1);
    assertThat(enrolment.path("by_status").path("paused").asLong()).isEqualTo(1);

    var prompts = figures.path("adherence").path("all");
    assertThat(prompts.path("sent").asLong())
        .isEqualTo(count("SELECT COUNT(*) FROM occurrence WHERE status = 'sent'"))
        .isEqualTo(sum(figures.path("adherence").path("days"), "sent"));
    assertThat(prompts.path("answered").asLong())
        .isEqualTo(count("SELECT COUNT(*) FROM occurrence WHERE responded_at IS NOT NULL"));
    assertThat(prompts.path("done").asLong()).isEqualTo(1);
    assertThat(prompts.path("missed").asLong()).isEqualTo(1);
    assertThat(prompts.path("answered_rate").asDouble()).isEqualTo(0.75);
    var outcomes = figures.path("adherence").path("outcomes");
    assertThat(outcomes.path("answered").asLong()).as("with an unknown outcome").isEqualTo(2);
    assertThat(outcomes.path("open").asLong()).isEqualTo(1);
    assertThat(
            StreamSupport.stream(outcomes.spliterator(), false).mapToLong(JsonNode::asLong).sum())
        .as("each prompt counts once")
        .isEqualTo(prompts.path("sent").asLong());
    var theDayBefore = figures.path("adherence").path("days").get(25);
    assertThat(theDayBefore.path("sent_to").asLong()).isEqualTo(2);
    assertThat(figures.path("answers").path("longest_seconds").asDouble()).isEqualTo(600);
    prompt(other, 0, Duration.ZERO, false);
    outcomes = figures().path("adherence").path("outcomes");
    assertThat(outcomes.path("open").asLong()).as("the newest").isEqualTo(1);
    assertThat(outcomes.path("unanswered").asLong()).as("an earlier one").isEqualTo(1);
    rows.write(
        "DELETE FROM occurrence WHERE participant_id = ? AND local_date = ?",
        other,
        today.toString());

    var answers = figures.path("answers").path("all");
    assertThat(answers.path("count").asLong()).isEqualTo(3);
    assertThat(answers.path("median_seconds").asDouble()).isEqualTo(120);
    assertThat(answers.path("p90_seconds").asDouble()).isEqualTo(504);

    var texts = figures.path("texts");
    assertThat(texts.path("received").asLong())
        .isEqualTo(count("SELECT COUNT(*) FROM message WHERE author = 'participant'"))
        .isEqualTo(2);
    assertThat(texts.path("sent").asLong())
        .isEqualTo(count("SELECT COUNT(*) FROM outbox WHERE provider_id IS NOT NULL"))
        .isEqualTo(sum(texts.path("days"), "sent"))
        .isPositive();
    assertThat(texts.path("sent_segments").asLong())
        .isEqualTo(count("SELECT SUM(segments) FROM outbox WHERE provider_id IS NOT NULL"));

    var replies = figures.path("replies").path("all");
    assertThat(replies.path("count").asLong()).isEqualTo(2);
    assertThat(replies.path("median_seconds").asDouble()).isPositive().isLessThan(300);

    var models = figures.path("tokens").path("models");
    assertThat(models).hasSize(1);
    assertThat(sum(models, "calls"))
        .isEqualTo(count("SELECT COUNT(*) FROM iteration"))
        .isEqualTo(sum(figures.path("tokens").path("days"), "calls"))
        .isPositive();
    assertThat(sum(models, "prompt_tokens"))
        .isEqualTo(count("SELECT SUM(prompt_tokens) FROM iteration"));
    assertThat(sum(models, "completion_tokens"))
        .isEqualTo(count("SELECT SUM(completion_tokens) FROM iteration"));

    assertThat(prompts.path("planned").asLong()).isEqualTo(5);
    assertThat(prompts.path("participants").asLong()).isEqualTo(2);
    assertThat(prompts.path("done_rate").asDouble()).isEqualTo(0.25);
    assertThat(StreamSupport.stream(figures.path("answers").path("within").spliterator(), false))
        .extracting(it -> it.path("count").asLong())
        .containsExactly(2L, 1L, 0L, 0L, 0L, 0L, 0L, 0L);
    var deliveries = figures.path("deliveries");
    assertThat(deliveries.path("by_status").path("accepted").asLong())
        .isEqualTo(texts.path("sent").asLong())
        .isEqualTo(sum(deliveries.path("days"), "taken"));

    assertThat(line.get("/study").response().body())
        .contains(
            "Reported as done: 25% (1 of 4) of the prompts sent. Answered: 75% (3 of 4).",
            "Planned: 5 (4 sent, 1 not sent, 0 still to be sent).",
            "Of the 4 sent: 1 done, 0 partly, 0 not done, 2 answered with the outcome unknown, 0 without an answer, 1 still open.",
            "1 of 4 prompts sent have no answer and are not counted here.",
            "The longest took 10 min.",
            "Sent: the provider accepted the prompt. Answered: ",
            "– segments",
            "Median 2 min; 90th percentile 8 min; 3 answers.",
            "2 of 4 enrolled.",
            "At this pace, the target will be reached on ",
            "Intervals widen to the right.",
            "data-reaches=\"4\"");
  }

  @Test
  void theTimeUntilAReplyIsTheSumOfItsParts() {
    var id = texting();
    var parts = figures().path("replies").path("parts");
    assertThat(StreamSupport.stream(parts.spliterator(), false))
        .extracting(it -> it.path("part").asText())
        .containsExactly("queue", "model", "tools", "provider", "rest");
    assertThat(StreamSupport.stream(parts.spliterator(), false))
        .allSatisfy(part -> assertThat(part.path("count").asLong()).isEqualTo(1));

    var begun = Instant.parse(today + "T00:00:10Z");
    rows.write(
        "UPDATE inbox SET stored_at = ? WHERE participant_id = ? AND kind = 'said'",
        begun.minusSeconds(2),
        id);
    rows.write("UPDATE turn SET begun_at = ? WHERE participant_id = ?", begun, id);
    rows.write(
        "UPDATE outbox SET planned_at = ?, sending_at = ?, ended_at = ? WHERE participant_id = ?",
        begun.plusSeconds(5),
        begun.plusSeconds(6),
        begun.plusSeconds(8),
        id);
    rows.write("DELETE FROM iteration WHERE participant_id = ? AND child > 0", id);
    rows.write(
        "UPDATE iteration SET model_ms = 1000, started_at = ?, completed_at = ? WHERE participant_id = ?",
        begun,
        begun.plusMillis(1500),
        id);
    var calls =
        count(
            "SELECT COUNT(*) FROM iteration WHERE participant_id = ? AND turn = (SELECT MAX(turn) FROM outbox WHERE participant_id = ?)",
            id,
            id);
    var replies = figures().path("replies");
    assertThat(replies.path("all").path("median_seconds").asDouble()).isEqualTo(10);
    assertThat(replies.path("parts"))
        .extracting(it -> it.path("median_seconds").asDouble())
        .containsExactly(3.0, 1.0 * calls, 0.5 * calls, 2.0, Math.max(0, 5 - 1.5 * calls));
    assertThat(replies.path("parts_by_day").get(27).path("provider_seconds").asDouble())
        .isEqualTo(2);
  }

  /** Somebody whose study day is 10, and who sent their last text on another study day. */
  private String lastTexted(int studyDay) {
    var id = line.enrolled().path("id").asText();
    rows.write(
        "UPDATE participant SET timezone = 'UTC', enrolled_at = ?, enrolled_on = ? WHERE id = ?",
        onStudyDay(1),
        today.minusDays(9).toString(),
        id);
    rows.write(
        "INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)"
            + " VALUES (?, ?, 'user', 'words', 'simulator', 7, 'participant', ?)",
        "msg_of_" + id,
        id,
        onStudyDay(studyDay));
    return id;
  }

  private Instant onStudyDay(int day) {
    return today.minusDays(10L - day).atTime(0, 0).toInstant(ZoneOffset.UTC);
  }

  /** Returns study day, participants and still answering, as the report counts them. */
  private static List<List<String>> dropOutOfTheReport(Path folder) throws IOException {
    line.bean(PublicationBundle.class)
        .write(new PublicationBundle.Wanted(folder, Optional.empty(), "a test", "admin"));
    try (var lines = Files.lines(folder.resolve("numbers/drop_out.csv"))) {
      return lines.skip(1).map(row -> List.of(row.split(",", -1)).subList(1, 4)).toList();
    }
  }

  @Test
  void whoStillAnswersIsCountedByStudyDay(@TempDir Path folder) throws IOException {
    var here = lastTexted(10);
    var silent = lastTexted(3);
    var withdrawn = lastTexted(4);
    var completed = lastTexted(2);
    rows.write(
        "UPDATE participant SET status = 'withdrawn', ended_at = ? WHERE id = ?",
        onStudyDay(5),
        withdrawn);
    rows.write(
        "UPDATE participant SET status = 'completed', ended_at = ? WHERE id = ?",
        onStudyDay(8),
        completed);
    prompt(here, 0, Duration.ofMinutes(1), true);
    prompt(silent, 8, Duration.ZERO, false);

    var dropOut = figures().path("drop_out");
    assertThat(dropOut.path("participants").asLong()).isEqualTo(4);
    assertThat(dropOut.path("dropped_out").asLong()).isEqualTo(2);
    assertThat(dropOut.path("left").asLong()).isEqualTo(1);
    assertThat(dropOut.path("silent_after_days").asLong()).isEqualTo(3);
    assertThat(dropOut.path("days"))
        .extracting(
            day -> day.path("participants").asLong(),
            day -> day.path("in_study").asLong(),
            day -> day.path("answering").asLong())
        .containsExactly(
            tuple(4L, 4L, 4L),
            tuple(4L, 4L, 4L),
            tuple(4L, 4L, 3L),
            tuple(4L, 4L, 2L),
            tuple(4L, 4L, 1L),
            tuple(3L, 2L, 1L),
            tuple(3L, 2L, 1L));
    assertThat(dropOut.path("days"))
        .extracting(day ->
            List.of(
                day.path("study_day").asText(),
                day.path("participants").asText(),
                day.path("answering").asText()))
        .isEqualTo(dropOutOfTheReport(folder.resolve("report")));

    var adherence = figures().path("adherence");
    assertThat(adherence.path("days").get(27).path("participants").asLong()).isEqualTo(2);
    var studyDays = adherence.path("study_days");
    assertThat(studyDays).hasSize(10);
    assertThat(studyDays.get(1).path("sent").asLong()).isEqualTo(1);
    assertThat(studyDays.get(1).path("participants").asLong()).isEqualTo(4);
    assertThat(studyDays.get(5).path("participants").asLong()).isEqualTo(3);
    assertThat(studyDays.get(9).path("participants").asLong()).isEqualTo(2);
    assertThat(studyDays.get(9).path("done_rate").asDouble()).isEqualTo(1);
    assertThat(line.get("/study").response().body())
        .contains(
            "50% (2 of 4) dropped out: 1 opted out or withdrawn before completing, 1 silent for more than 3 days.",
            "The chart begins once 5 participants",
            "Dropped out",
            "1 opted out or withdrawn, 1 silent for more than 3 days",
            "Drop-out is not known yet for the last 3 days.",
            "No study day has 5 daily prompts sent yet.");

    assertThat(adherence.path("flows")).isEmpty();
    rows.write("UPDATE participant SET flow = 'other' WHERE id = ?", here);
    var flows = figures().path("adherence").path("flows");
    assertThat(flows).extracting(it -> it.path("flow").asText()).containsExactly("habit", "other");
    assertThat(flows.get(1).path("all").path("done").asLong()).isEqualTo(1);
    assertThat(figures().path("drop_out").path("flows").get(1).path("dropped_out").asLong())
        .isZero();
    assertThat(line.get("/study/figures/adherence.csv").response().body().lines().findFirst())
        .hasValueSatisfying(head ->
            assertThat(head).startsWith("date,participants,planned,").contains("done_rate_other"));
  }

  @Test
  void studyDayOneIsTheLocalDateOfEnrolment() {
    var id = lastTexted(10);
    assertThat(
            line.send(
                    "PUT", RestLine.PARTICIPANTS + "/" + id, "{\"timezone\":\"Pacific/Honolulu\"}")
                .status())
        .isEqualTo(200);
    prompt(id, 10, Duration.ZERO, false);
    var studyDays = figures().path("adherence").path("study_days");
    assertThat(studyDays.get(0).path("sent").asLong()).isEqualTo(1);
    assertThat(studyDays.get(0).path("participants").asLong()).isEqualTo(1);
  }

  @Test
  void whoeverLeavesIsInTheStudyUntilThen() {
    var id = line.enrolled().path("id").asText();
    for (var status : List.of("completed", "active", "withdrawn")) {
      assertThat(
              line.send("PUT", RestLine.PARTICIPANTS + "/" + id, "{\"status\":\"" + status + "\"}")
                  .status())
          .isEqualTo(200);
      assertThat(
              count("SELECT COUNT(*) FROM participant WHERE id = ? AND ended_at IS NOT NULL", id))
          .isEqualTo(status.equals("active") ? 0 : 1);
    }
  }

  @Test
  void costsAreAddedUpByHowWellTheyAreKnown() {
    var id = line.enrolled().path("id").asText();
    charge(id, "model", "USD", "0.5", "exact", 40L);
    charge(id, "message", "USD", "0.25", "estimated", null);
    charge(id, "message", "EUR", "0.1", "exact", null);
    charge(id, "model", null, null, "unknown", null);
    var costs = figures().path("costs");
    assertThat(costs.path("currency").asText()).isEqualTo("USD");
    assertThat(costs.path("total").decimalValue()).isEqualByComparingTo("0.75");
    assertThat(costs.path("model").decimalValue()).isEqualByComparingTo("0.5");
    assertThat(costs.path("estimated").decimalValue()).isEqualByComparingTo("0.25");
    assertThat(costs.path("unknown").asLong()).isEqualTo(1);
    assertThat(costs.path("other").path("EUR").decimalValue()).isEqualByComparingTo("0.1");
    assertThat(costs.path("daily_budget").decimalValue()).isEqualByComparingTo("2.5");
    assertThat(costs.path("days").get(27).path("messages").decimalValue())
        .isEqualByComparingTo("0.25");
    assertThat(line.get("/study").response().body())
        .contains(
            "0.75 USD on these days: model 0.50, messages 0.25. 0.25 of it is estimated.",
            "The daily budget is 2.50 USD; the most expensive day cost 0.75 (30%).",
            "1 call or message has no known price and is not in it. Also 0.10 EUR.");
  }

  private void charge(
      String id,
      String kind,
      @Nullable String currency,
      @Nullable String cost,
      String confidence,
      @Nullable Long cached) {
    rows.write(
        "INSERT INTO charge (id, participant_id, kind, item, units_cached, cost, currency, confidence, at)"
            + " VALUES (?, ?, ?, 'item', CAST(? AS bigint), CAST(? AS numeric(30, 15)), ?, ?, ?)",
        kind + currency + id,
        id,
        kind,
        cached,
        cost,
        currency,
        confidence,
        today.atTime(1, 0).toInstant(ZoneOffset.UTC));
  }

  @Test
  void eachChartHasItsNumbersAsAFile() {
    var id = texting();
    prompt(id, 0, Duration.ofMinutes(5), true);
    var page = line.get("/study").response().body();
    for (var name :
        List.of(
            "adherence",
            "adherence-by-study-day",
            "enrolment",
            "drop-out",
            "time-to-answer",
            "answers",
            "costs",
            "replies",
            "reply-parts",
            "messages",
            "deliveries",
            "tokens")) {
      var address = "/study/figures/" + name + ".csv?from=" + today.minusDays(27) + "&to=" + today;
      assertThat(page).contains("href=\"" + address.replace("&", "&amp;") + "\"");
      var file = line.get(address);
      assertThat(file.status()).as(name).isEqualTo(200);
      assertThat(file.response().headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/csv"));
    }
    assertThat(line.get("/study/figures/enrolment.csv?from=" + today).response().body())
        .isEqualTo(
            "date,enrolled,total,target,now_active,now_paused,now_completed,now_withdrawn\r\n"
                + today
                + ",1,1,4,1,0,0,0\r\n");
    assertThat(line.get("/study/figures/sales.csv").status()).isEqualTo(404);
    assertThat(line.get("/study/figures/costs.csv?from=never").status()).isEqualTo(400);
  }

  @Test
  void contactsOfScriptsAreInNoNumber() {
    var id = texting();
    prompt(id, 0, Duration.ofMinutes(5), true);
    rows.write("UPDATE participant SET contact = TRUE WHERE id = ?", id);
    var figures = figures();
    assertThat(figures.path("enrolment").path("total").asLong()).isZero();
    assertThat(figures.path("texts").path("sent").asLong()).isZero();
    assertThat(figures.path("adherence").path("all").path("sent").asLong()).isZero();
  }

  @Test
  void onlyTheDaysThatWereAskedForCount() {
    var id = texting();
    prompt(id, 40, Duration.ofMinutes(5), true);
    prompt(id, 3, Duration.ofMinutes(5), true);
    assertThat(figures().path("adherence").path("all").path("sent").asLong()).isEqualTo(1);
    var yesterday = today.minusDays(1);
    var before = figures("?from=" + today.minusDays(50) + "&to=" + yesterday);
    assertThat(before.path("adherence").path("all").path("sent").asLong()).isEqualTo(2);
    assertThat(before.path("texts").path("sent").asLong()).isZero();
    assertThat(before.path("enrolment").path("total").asLong()).isEqualTo(1);
    assertThat(sum(before.path("enrolment").path("days"), "enrolled")).isZero();
    assertThat(figures("?to=" + yesterday).path("from").asText())
        .isEqualTo(yesterday.minusDays(27).toString());
  }

  @Test
  void whoeverWasErasedIsNotCountedAnyMore() {
    for (var keep : List.of("false", "true")) {
      var id = texting();
      prompt(id, 0, Duration.ofMinutes(5), true);
      assertThat(figures().path("texts").path("received").asLong()).isEqualTo(1);
      assertThat(
              line.send("DELETE", RestLine.PARTICIPANTS + "/" + id + "?keep_transcript=" + keep, "")
                  .status())
          .isEqualTo(200);
      await().until(() -> line.bean(Participants.class).findWithLeaving(id).isEmpty());
      var figures = figures();
      assertThat(figures.path("enrolment").path("total").asLong()).isZero();
      assertThat(figures.path("texts").path("received").asLong()).isZero();
      assertThat(figures.path("texts").path("sent").asLong()).isZero();
      assertThat(figures.path("adherence").path("all").path("sent").asLong()).isZero();
      assertThat(figures.path("tokens").path("models")).isEmpty();
      assertThat(figures.path("enrolment").path("erased").asLong())
          .isEqualTo(count("SELECT COUNT(*) FROM erased_count"))
          .isPositive();
    }
    line.enrolled();
    assertThat(line.get("/study").response().body())
        .contains("of them erased since", "No chart counts erased participants.");
    assertThat(count("SELECT COUNT(*) FROM message WHERE author = 'participant'")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "from=2026-02-30",
        "from=yesterday",
        "to=2026-1-1",
        "from=2026-02-02&to=2026-02-01",
        "from=2020-01-01&to=2026-01-01",
        "from=0000-01-01&to=0000-01-02",
        "from=%00",
        "from=9999-12-31",
        "day=1"
      })
  void whatAreNoDaysIsRefusedWithASentence(String query) {
    var answer = line.get("/study/figures?" + query);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).isNotBlank();
    assertThat(line.get("/study?" + query).status()).isEqualTo(400);
  }

  @Test
  void aDayThatDoesNotExistIsNamedAndThePageSaysWhatItShows() {
    rows.forgetEverybody();
    line.enrolled();
    assertThat(line.get("/study/figures?from=2026-02-30").message())
        .isEqualTo("from: 2026-02-30 does not exist; February 2026 has 28 days.");
    assertThat(line.get("/study?from=2026-02-30").response().body())
        .contains(
            "From: 2026-02-30 does not exist",
            "are shown instead.",
            "<details class=\"disclosure\" open>");
  }

  @Test
  void theIntervalOfAShareIsWilsons() {
    assertThat(line.get("/study").status()).isEqualTo(200);
    var people = List.of(texting(), texting(), texting(), texting(), texting());
    people.forEach(id -> prompt(id, 0, Duration.ofMinutes(1), !id.equals(people.getFirst())));
    assertThat(line.get("/study").response().body())
        .contains("Study day 1: 80% (4 of 5) done, 95% interval 38% to 96%, n = 5 participants.");
  }

  @Test
  void everyDayThatThereIsCanBeAskedFor() {
    assertThat(figures("?from=9999-12-01&to=9999-12-31").path("adherence").path("days"))
        .hasSize(31);
    assertThat(figures("?to=0001-02-01").path("texts").path("days")).hasSize(28);
    for (var days : List.of("7", "28", "all")) {
      assertThat(line.get("/study?days=" + days).status()).isEqualTo(200);
    }
    assertThat(line.get("/study?days=9").status()).isEqualTo(400);
  }

  @Test
  void researchersReadTheFiguresAndNobodyElseWithoutAKey() {
    var researcher = line.key("Researcher of figures", "researcher");
    assertThat(line.sendAs(researcher, "GET", "/study/figures", "").status()).isEqualTo(200);
    assertThat(line.sendAs(researcher, "GET", "/study", "").status()).isEqualTo(200);
    assertThat(line.sendAs(researcher, "GET", "/study/figures/costs.csv", "").status())
        .isEqualTo(200);
    assertThat(line.sendAs("", "GET", "/study/figures", "").status()).isEqualTo(401);
    assertThat(line.sendAs("", "GET", "/study/figures/costs.csv", "").status()).isEqualTo(401);
  }
}
