package org.habitline.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.habitline.bench.Databases.Kind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Measures how long the server takes for the pages of a study of {@value #PEOPLE} participants and
 * 90 days, on PostgreSQL. The reference is the goal, 300 ms.
 */
@ExtendWith(Report.Handed.class)
final class PagesBench {

  private static final int PEOPLE = 10_000;

  /** One text a day. */
  private static final int TURNS_EACH = 90;

  private static final int WARM_UP = 5;
  private static final int ROUNDS = 15;
  private static final double GOAL = 300;
  private static final String KEY = "the-admin-key-of-the-benchmarks";

  private static Databases databases;
  private static HikariDataSource database;
  private static EmbeddedServer line;
  private static HttpClient http;

  @BeforeAll
  static void start() throws Exception {
    databases = Databases.start();
    var settings = databases.fresh(Kind.POSTGRESQL);
    database = Databases.preparedPool(settings);
    SeededStudy.fill(database, PEOPLE, TURNS_EACH);
    settings.putAll(new TwilioRoad().settings());
    settings.putAll(
        Map.of(
            "habitline.port",
            "0",
            "habitline.admin-key",
            KEY,
            "habitline.requests-per-minute",
            "0"));
    line = ApplicationContext.run(EmbeddedServer.class, settings);
    http = HttpClient.newHttpClient();
  }

  @AfterAll
  static void stop() throws IOException {
    http.close();
    line.close();
    database.close();
    databases.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/participants",
        "/participants?q=Example123",
        "/participants?sort=name",
        "/participants?sort=-last_heard",
        "/participants?sort=next_prompt",
        "/participants?sort=answer_rate",
        "/participants?silent_days=3",
        "/participants?participation=active&sort=-last_prompt",
        "/study"
      })
  void aPageOfALargeStudy(String address, Report report) throws Exception {
    Databases.tellVersion(database, report);
    for (int i = 0; i < WARM_UP; i++) {
      var _ = millis(address);
    }
    var rounds = new Rounds<Double>();
    for (int i = 0; i < ROUNDS; i++) {
      rounds.add(millis(address), GOAL);
    }
    report.add(
        rounds.as(
            Double::doubleValue,
            "page of a study of 10,000 participants; reference: 300 ms",
            address,
            "ms",
            "≤ 1.0"));
  }

  private static double millis(String address) throws Exception {
    var began = System.nanoTime();
    var answer =
        http.send(
            HttpRequest.newBuilder(line.getURI().resolve(address))
                .header("Authorization", "Bearer " + KEY)
                .header("Accept", "text/html")
                .build(),
            BodyHandlers.ofString());
    var took = (System.nanoTime() - began) / 1e6;
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(address + " was answered with " + answer.statusCode());
    }
    return took;
  }
}
