package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.habitline.RunningLine;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code /prometheus}: who may read it, and what stands there. */
class MetricsEndpointTest {

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("turn.quiet-period", "0s"));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  @Test
  void onlyStaffAndMetricsKeysReadTheMetricsAndThoseNothingElse() {
    assertThat(doors.at("/prometheus").get().status()).isEqualTo(401);
    assertThat(doors.at("/prometheus/").get().status()).isEqualTo(401);
    var researcher = doors.newKey("script", "researcher").path("key").asText();
    assertThat(doors.at("/prometheus").key(researcher).get().status()).isEqualTo(403);
    var staff = doors.newKey("scraper", "staff").path("key").asText();
    assertThat(doors.at("/prometheus").key(staff).get().status()).isEqualTo(200);
    assertThat(doors.at("/prometheus").key(Doors.ADMIN_KEY).get().status()).isEqualTo(200);
    var metrics = doors.newKey("prometheus", "metrics").path("key").asText();
    assertThat(doors.at("/prometheus").key(metrics).get().status()).isEqualTo(200);
    for (var path :
        List.of("/conversation/participants", "/", "/keys", "/events", "/system", "/audit")) {
      assertThat(doors.at(path).key(metrics).get().status()).as(path).isEqualTo(403);
    }
    assertThat(doors.at("/health").key(metrics).get().text()).doesNotContain("details");
    assertThat(doors.at("/login").form("secret", metrics).status()).isEqualTo(401);
    assertThat(doors.at("/metrics").key(Doors.ADMIN_KEY).get().status()).isEqualTo(404);
  }

  @Test
  void everyMetricOfTheGuideIsThereAndNothingOfAParticipant() {
    var enrolled =
        doors
            .at("/conversation/participants")
            .key(Doors.ADMIN_KEY)
            .json(
                "{\"phone_number\":\"+12065550123\",\"name\":\"Robin Example\",\"channel\":\"simulator\"}")
            .json();
    var id = enrolled.at("/result/id").asText();
    doors
        .at("/simulator/" + id + "/texts")
        .key(Doors.ADMIN_KEY)
        .json("{\"text\":\"make it personal, while the coffee brews\"}");
    await().until(() -> metrics().contains("habitline_turns_total{kind=\"said\""));

    var metrics = metrics();
    for (var name : guide()) {
      assertThat(metrics).contains("# TYPE " + name.replaceFirst("_total$", ""));
    }
    assertThat(metrics)
        .contains("habitline_line_open 1.0", "jvm_memory_used_bytes", "hikaricp_connections")
        .doesNotContain("2065550123", "Robin", "coffee", id, Doors.ADMIN_KEY);
  }

  private static String metrics() {
    return doors.at("/prometheus").key(Doors.ADMIN_KEY).get().text();
  }

  /** The names in the first column of the guide's table that every line has from the start. */
  private static List<String> guide() {
    return RunningLine.read(Path.of("docs/production.md"))
        .lines()
        .filter(row -> row.startsWith("| `habitline_"))
        .map(row -> row.replaceFirst("^\\| `([a-z_]+).*", "$1"))
        .toList();
  }
}
