package org.habitline.ops.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.event.ShutdownEvent;
import java.time.Instant;
import java.util.Map;
import org.habitline.ops.database.Doors;
import org.habitline.ops.start.ServiceLifecycle;
import org.junit.jupiter.api.Test;

/** What {@code /health} tells whom. */
class HealthTest {

  @Test
  void everybodySeesWhetherTheLineIsHealthyAndStaffSeeWhy() {
    try (var doors = Doors.open(Map.of())) {
      var open = doors.at("/health").get();
      assertThat(open.status()).isEqualTo(200);
      assertThat(open.json().path("status").asText()).isEqualTo("healthy");
      assertThat(Instant.parse(open.json().path("timestamp").asText())).isNotNull();
      assertThat(open.json().fieldNames()).toIterable().containsExactly("status", "timestamp");
      assertThat(doors.at("/health").key("hl_wrong").get().json().size()).isEqualTo(2);

      var researcher = doors.newKey("script", "researcher").path("key").asText();
      var known = doors.at("/health").key(researcher).get().json();
      assertThat(known.path("active_participants").asInt(-1)).isZero();
      assertThat(known.has("details")).isFalse();
      var cookie = doors.signIn(Doors.ADMIN_KEY);
      assertThat(
              doors
                  .at("/health")
                  .header("Cookie", cookie)
                  .get()
                  .json()
                  .path("active_participants")
                  .asInt(-1))
          .isZero();

      var staff = doors.newKey("Ward", "staff").path("key").asText();
      var details = doors.at("/health").key(staff).get().json().path("details");
      assertThat(details.at("/model/details/rehearsal").asBoolean()).isTrue();
      assertThat(details.at("/flows/details/warnings").isArray()).isTrue();
      assertThat(details.at("/line/status").asText()).isEqualTo("UP");
      assertThat(details.at("/jdbc/status").asText()).isEqualTo("UP");
      assertThat(details.at("/upkeep/details/retention_failing_since").isObject()).isTrue();
      var waiting = details.at("/waiting/details");
      assertThat(waiting.path("alerts").isArray()).isTrue();
      assertThat(waiting.path("inbox").isObject()).isTrue();
      assertThat(waiting.path("outbox").isObject()).isTrue();
      assertThat(waiting.at("/late_wakeups/count").asInt(-1)).isZero();
      assertThat(waiting.path("missed_prompts_24h").asInt(-1)).isZero();
      assertThat(waiting.path("unclaimed").asInt(-1)).isZero();
    }
  }

  @Test
  void enrolledPeopleAreCounted() {
    try (var doors = Doors.open(Map.of())) {
      doors
          .at("/conversation/participants")
          .key(Doors.ADMIN_KEY)
          .json("{\"phone_number\":\"+12065550123\",\"channel\":\"simulator\"}");
      assertThat(
              doors
                  .at("/health")
                  .key(Doors.ADMIN_KEY)
                  .get()
                  .json()
                  .path("active_participants")
                  .asInt())
          .isOne();
    }
  }

  @Test
  void aLineThatStopsIsAliveAndNotReadyAndItsModelsQuirksAreOneLine() {
    // Nobody asks this server anything.
    var settings =
        Map.<String, Object>of(
            "openai.base-url", "http://127.0.0.1:1/v1",
            "model.quirks", "alternating-roles,no-temperature");
    try (var doors = Doors.open(settings)) {
      var staff = doors.newKey("Ward", "staff").path("key").asText();
      var model = doors.at("/health").key(staff).get().json().at("/details/model/details");
      assertThat(model.path("adapted").asText())
          .isEqualTo("set for every model: no-temperature, alternating-roles");

      assertThat(doors.at("/health/liveness").get().status()).isEqualTo(200);
      assertThat(doors.at("/health/readiness").get().status()).isEqualTo(200);

      doors.bean(ServiceLifecycle.class).close(new ShutdownEvent(doors.context()));

      assertThat(doors.at("/health/liveness").get().json().path("status").asText())
          .isEqualTo("healthy");
      var readiness = doors.at("/health/readiness").get();
      assertThat(readiness.status()).isEqualTo(503);
      assertThat(readiness.json().path("status").asText()).isEqualTo("degraded");
      assertThat(readiness.json().path("error").asText()).isNotEmpty();
    }
  }
}
