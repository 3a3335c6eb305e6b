package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

      jar.stop();
      assertThat(jar.exitCode()).isEqualTo(ENDED_BY_SIGTERM);
      assertThat(jar.output()).doesNotContain("ERROR", "Exception");
    }
  }

  @Test
  void whatIsNoCommandAndNoSettingEndsWithASentenceThatListsWhatThereIs() {
    for (var argument : List.of("rehears", "--habitline.prot=8081")) {
      var ended = RunningJar.startInVain(home, Map.of(), argument);
      assertThat(ended.exitCode()).isEqualTo(2);
      assertThat(ended.output())
          .startsWith("There is no ")
          .contains(
              "rehearse", "move-to-postgresql", "--help", "--KEY=VALUE", "--habitline.port=8081")
          .hasLineCount(1);
    }
    var refused = RunningJar.startInVain(home, Map.of(), "--habitline.port=none");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.output()).contains("HABITLINE_PORT: 'none' is not accepted");
    assertThat(home.resolve("data")).doesNotExist();
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
