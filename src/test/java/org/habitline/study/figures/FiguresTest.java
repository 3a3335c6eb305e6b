package org.habitline.study.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.StreamSupport;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
    line = RestLine.start(FiguresTest.class);
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
    return id;
  }

  private void awaitReplies(String id, int most) {
    await()
        .until(() ->
            count(
                    "SELECT COUNT(*) FROM outbox WHERE participant_id = ? AND status = 'accepted'",
                    id)
                >= most);
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
    assertThat(replies.path("median_seconds").asDouble()).isPositive().isLessThan(60);

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

    assertThat(line.get("/study").response().body())
        .contains("4 daily prompts sent, 3 answered", "75%", "1 reported as done", "1 not sent")
        .contains("median 2 min; 90th percentile 8 min");
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
    }
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
    assertThat(line.sendAs(researcher, "GET", "/study", "").status()).isEqualTo(403);
    assertThat(line.sendAs("", "GET", "/study/figures", "").status()).isEqualTo(401);
  }
}
