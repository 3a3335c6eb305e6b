package org.habitline.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.RestLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A line that is asked for more at once than its few connections allow. */
final class BusyLineTest {

  private static final int PEOPLE = 300;

  private final StrictFakeServer model = StrictFakeServer.start();

  @AfterEach
  void close() {
    model.close();
  }

  private RestLine line(String connections) {
    return RestLine.start(
        BusyLineTest.class,
        Map.of(
            "openai.base-url",
            model.baseUrl(),
            "datasources.default.maximum-pool-size",
            connections,
            "datasources.default.connection-timeout",
            "1000"));
  }

  @Test
  void aCrowdThatIsEnrolledAtOnceIsEnrolledOrToldToComeAgain() {
    model.otherwise(asked -> Scripted.say("Hello.").after(Duration.ofMillis(300)));
    try (var line = line("4")) {
      var answers = enrolledAtOnce(line);
      assertThat(answers.stream().map(RestLine.Answer::status).collect(Collectors.toSet()))
          .isSubsetOf(201, 503)
          .contains(201);
      answers.stream()
          .filter(answer -> answer.status() == 503)
          .forEach(answer ->
              assertThat(answer.response().headers().firstValue("Retry-After")).contains("1"));
      var enrolled =
          answers.stream()
              .filter(answer -> answer.status() == 201)
              .map(RestLine.Answer::result)
              .map(result -> result.path("id").asText())
              .collect(Collectors.toSet());
      assertThat(ids(line, "SELECT id FROM participant")).isEqualTo(enrolled);
      await()
          .until(() ->
              ids(line, "SELECT participant_id AS id FROM turn WHERE status = 'done'")
                  .equals(enrolled));
      assertThat(line.rows("SELECT * FROM turn WHERE attempts > 1")).isEmpty();
    }
  }

  private static List<RestLine.Answer> enrolledAtOnce(RestLine line) {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return IntStream.range(0, PEOPLE)
          .mapToObj(number ->
              CompletableFuture.supplyAsync(() -> line.enrol(RestLine.someone()), threads))
          .toList()
          .stream()
          .map(CompletableFuture::join)
          .toList();
    }
  }

  private static Set<String> ids(RestLine line, String sql) {
    return line.rows(sql).stream()
        .map(row -> String.valueOf(row.get("id")))
        .collect(Collectors.toSet());
  }

  @Test
  void aRequestThatGetsNoConnectionIsToldToComeAgainAndIsThenAnswered() throws SQLException {
    try (var line = line("3")) {
      var held = new ArrayList<Connection>();
      for (int i = 0; i < 3; i++) {
        held.add(line.pool().getConnection());
      }
      var refused = line.enrol(RestLine.someone());
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.message()).contains("Send this request again in a second");
      assertThat(refused.response().headers().firstValue("Retry-After")).contains("1");
      for (var connection : held) {
        connection.close();
      }
      assertThat(line.get(RestLine.PARTICIPANTS).result().findValuesAsText("id"))
          .isEqualTo(List.of());
      JsonNode enrolled = line.enrolled();
      assertThat(enrolled.path("id").asText()).startsWith("conv_");
    }
  }
}
