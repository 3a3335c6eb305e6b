package org.habitline.staff.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.tools.OutsideTools;
import org.habitline.tools.mcp.FakeMcpServer;
import org.junit.jupiter.api.Test;

/** What participants in the web chat and staff see of the tools of another server. */
class McpChatTest {

  private static final String YAML =
      """
      id: coach
      initial_state: TALK
      modules:
        TALK:
          prompt: talk.txt
          tools: [calendar.find_slots]
      mcp_servers:
        calendar:
          url: ADDRESS
          headers: {Authorization: CALENDAR_AUTHORIZATION}
          tools: [find_slots]
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private static Path home(String url) throws IOException {
    var folder = Files.createDirectories(Path.of("target", "homes"));
    var home = Files.createTempDirectory(folder, "McpChatTest-").toAbsolutePath();
    RunningLine.write(home.resolve("config/flows/coach/flow.yaml"), YAML.replace("ADDRESS", url));
    RunningLine.write(home.resolve("config/flows/coach/prompts/talk.txt"), "Talk.");
    return home;
  }

  private static RestLine started(StrictFakeServer fake, Path home, String authorization) {
    return RestLine.start(
        McpChatTest.class,
        Map.of(
            "openai.base-url",
            fake.baseUrl(),
            "habitline.home",
            home.toString(),
            "habitline.flow",
            "coach",
            "calendar.authorization",
            authorization));
  }

  @Test
  void theChatIsToldWhichServerACallGoesTo() throws IOException {
    try (var fake = StrictFakeServer.start();
        var server = FakeMcpServer.start();
        var line = started(fake, home(server.url()), "Bearer of-a-test")) {
      var id = line.enrolled().path("id").asText();
      await()
          .until(() -> !line.rows("SELECT number FROM turn WHERE status <> 'running'").isEmpty());
      var token =
          line.send("POST", RestLine.PARTICIPANTS + "/" + id + "/tokens", "")
              .result()
              .path("token")
              .asText();
      try (var chat = ChatClient.open(line.url(), token)) {
        server.then(FakeMcpServer.text("at nine"));
        fake.then(Scripted.call("calendar_find_slots", "{\"day\":\"1\"}"), Scripted.say("Nine."));
        chat.say(id, "when?");
        chat.awaitType("complete", 1);
        assertThat(chat.messages().stream().map(Object::toString))
            .contains(
                "{\"type\":\"tool_start\",\"tool_name\":\"calendar_find_slots\",\"tool_input\":"
                    + "{\"day\":\"1\"},\"source\":\"mcp:calendar\"}",
                "{\"type\":\"tool_complete\",\"tool_name\":\"calendar_find_slots\",\"tool_result\":"
                    + "{\"status\":\"success\",\"content\":\"at nine\"},\"source\":\"mcp:calendar\"}");
        assertThat(chat.text()).isEqualTo("Nine.");
      }
    }
  }

  @Test
  void theServiceStartsWithoutTheServerAndHealthSaysWhy() throws IOException {
    try (var fake = StrictFakeServer.start();
        var server = FakeMcpServer.start()) {
      var home = home(server.url());
      server.away();
      try (var line = started(fake, home, "Bearer of-a-test")) {
        assertThat(warning(line)).contains("no connection can be made");
        server.back();
        line.bean(OutsideTools.class).refresh();
        assertThat(line.get("/health").body().at("/details/flows/details/warnings")).isEmpty();
      }
      try (var line = started(fake, home, " ")) {
        assertThat(warning(line))
            .isEqualTo(
                "Flow coach, MCP server calendar: the environment variable CALENDAR_AUTHORIZATION is"
                    + " not set; the model is told that its tools are not available");
      }
      try (var line = started(fake, home, "Bearer\u00e9")) {
        assertThat(warning(line))
            .contains("CALENDAR_AUTHORIZATION holds characters that no header may hold")
            .doesNotContain("Bearer");
      }
    }
  }

  private static String warning(RestLine line) {
    return line.get("/health").body().at("/details/flows/details/warnings").path(0).asText();
  }
}
