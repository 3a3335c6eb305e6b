package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.habitline.Patience;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.Moderation;
import org.habitline.llm.Moderation.Category;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The moderation endpoint as openai-java asks it, with answers that are good, broken and missing.
 */
final class OpenAiModerationTest {

  private HttpServer server;
  private volatile String asked = "";
  private volatile int status = 200;
  private volatile String answer = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/moderations",
        exchange -> {
          asked = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          var body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Moderation.Outcome judged(String... texts) {
    var url = "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
    var client = new OpenAiFactory().client(new OpenAiSettings("sk-x", url, "m", null, null, null));
    try {
      return new OpenAiModeration(client, Clock.systemUTC())
          .judge(List.of(texts), "omni-moderation-latest", Deadline.in(Patience.LONG));
    } finally {
      client.close();
    }
  }

  private static String result(String... flagged) {
    return "{\"flagged\":true,\"categories\":{\"self-harm\":false,\"hate\":true"
        + (flagged.length == 0 ? "" : ",\"" + String.join("\":true,\"", flagged) + "\":true")
        + "}}";
  }

  @Test
  void theCategoriesOfAllTextsAreReadTogether() {
    answer =
        "{\"results\":["
            + result("self-harm/intent", "illicit")
            + ","
            + result("harassment/threatening")
            + "]}";
    assertThat(judged("one", "two"))
        .isEqualTo(
            new Moderation.Outcome.Judged(Set.of(Category.SELF_HARM_INTENT, Category.VIOLENCE)));
    assertThat(asked)
        .contains("\"omni-moderation-latest\"")
        .contains("\"one\"")
        .contains("\"two\"");
    answer = "{\"results\":[" + result() + "]}";
    assertThat(judged("one")).isEqualTo(new Moderation.Outcome.Judged(Set.of()));
  }

  @Test
  void whateverCannotBeReadIsAFailure() {
    for (var broken :
        List.of("{", "{}", "{\"results\":[]}", "{\"results\":[{\"categories\":{}}]}", "[]")) {
      answer = broken;
      assertThat(judged("one"))
          .as(broken)
          .isInstanceOfSatisfying(
              Moderation.Outcome.Failed.class,
              failed -> assertThat(failed.failure()).isEqualTo(ModelFailure.OTHER));
    }
    answer = "{\"error\":{\"message\":\"secret\"}}";
    status = 401;
    assertThat(judged("one"))
        .isInstanceOfSatisfying(
            Moderation.Outcome.Failed.class,
            failed -> {
              assertThat(failed.failure()).isEqualTo(ModelFailure.KEY_REFUSED);
              assertThat(failed.reason()).doesNotContain("secret");
            });
  }
}
