package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where settings come from, and how an operator stops the line. */
class SettingsIT {

  private static final int ENDED_BY_SIGTERM = 128 + 15;

  @TempDir Path home;

  @Test
  void theEnvironmentWinsOverTheHomeFolderAndThatOverTheProgram() throws Exception {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(
        home.resolve("config/application.yml"),
        """
        habitline:
          port: 1
          max-body: 2KB
        """);
    var environment = Map.of("HABITLINE_PORT", "0", "HABITLINE_PROT", "8081");
    try (var jar = RunningJar.start(home, environment)) {
      assertThat(jar.port()).isNotEqualTo(1);
      assertThat(answerToALargeBody(jar)).contains("at most 2KB is accepted");
      assertThat(jar.output()).contains("HABITLINE_PROT: there is no such setting");

      assertThat(jar.stop()).isLessThan(Duration.ofSeconds(30));
      assertThat(jar.exitCode()).isEqualTo(ENDED_BY_SIGTERM);
      assertThat(jar.output()).doesNotContain("ERROR", "Exception");
    }
  }

  private static String answerToALargeBody(RunningJar jar)
      throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + jar.port() + "/login"))
              .header("Content-Type", "application/x-www-form-urlencoded")
              .POST(HttpRequest.BodyPublishers.ofString("secret=" + "a".repeat(3000)))
              .build();
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }
}
