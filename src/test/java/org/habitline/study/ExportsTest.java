package org.habitline.study;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.storage.Snapshots;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The document of one person is of one moment; timelines and outcomes tell what is stored. */
@Tag("database")
final class ExportsTest {

  /** Tells the caller before the statement over a table is made. */
  private static Connection interrupted(Connection connection, String table, Runnable act) {
    var once = new AtomicBoolean(true);
    return (Connection)
        Proxy.newProxyInstance(
            ExportsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && String.valueOf(arguments[0]).contains("FROM " + table + " ")
                  && once.getAndSet(false)) {
                act.run();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private record Interrupting(Snapshots real, String table, Runnable act) implements Snapshots {
    @Override
    public <R> R read(Reading<R> reading) throws SQLException {
      return real.read(snapshot -> reading.read(interrupted(snapshot, table, act)));
    }
  }

  @Test
  void whatIsCommittedInTheMiddleOfAnExportIsNotInAnyPartOfIt() throws IOException {
    try (var line = RunningLine.in(ExportsTest.class).start()) {
      var robin = line.greeted();
      line.answered(robin, "before");
      Snapshots halfway =
          new Interrupting(
              line.bean(Snapshots.class),
              "state_data",
              () -> {
                line.answered(robin, "meanwhile");
                line.write("UPDATE participant SET name = 'Meanwhile' WHERE id = ?", robin.id());
                assertThat(line.transcript(robin)).contains("user: meanwhile");
              });
      JsonNode document;
      try (var file = new Exports(halfway, Clock.systemUTC()).open(robin.id(), false)) {
        document = new JsonMapper().readTree(file);
      }
      assertThat(document.toString()).doesNotContainIgnoringCase("meanwhile");
      assertThat(document.path("transcript").findValuesAsText("content")).contains("before");
      assertThat(document.path("turns")).hasSize(2);
      assertThat(document.path("state").path(0).path("next_turn").asInt()).isEqualTo(3);
    }
  }

  @Test
  void theTimelineAndTheTableOfOutcomesTellWhatBecameOfAPrompt() {
    try (var line = RestLine.start(ExportsTest.class)) {
      var id = line.enrolled().path("id").asText();
      var rows = Rows.of(line);
      var at = Instant.now().minusSeconds(60);
      rows.prompt(
          new Rows.Prompt(
              id,
              "2026-01-05",
              "sent",
              at.minusSeconds(180),
              null,
              at.minusSeconds(180),
              at,
              true));
      rows.write(
          "INSERT INTO outcome_change (participant_id, local_date, slot, new_outcome, recorded_by, recorded_at)"
              + " VALUES (?, '2026-01-05', 1, 'done', 'rule', ?)",
          id,
          at);
      var code =
          "INSERT INTO outcome_code (participant_id, local_date, slot, coder, coder_version, coded_by,"
              + " outcome_coded, texts, coded_at) VALUES (?, '2026-01-05', 1, ?, ?, ?, ?, 1, ?)";
      rows.write(code, id, "model", "coder-1", null, "partly", at);
      rows.write(code, id, "staff", null, "Ann", "not_done", at);
      assertThat(
              line.get(RestLine.PARTICIPANTS + "/" + id + "/timeline")
                  .result()
                  .findValuesAsText("sentence"))
          .containsSubsequence(
              "The coach recorded the outcome of the daily prompt of Mon 5 Jan 2026: done.",
              "The participant answered the daily prompt of Mon 5 Jan 2026 after 3 min.",
              "Habitline sent the daily prompt of Mon 5 Jan 2026.");
      assertThat(line.get("/study/outcome-codes").response().body().lines())
          .contains(id + ",2026-01-05,1,done,partly,coder-1,not_done: Ann");
    }
  }
}
