package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A turn that searched documents, over the API and on the page that explains it. */
final class TurnsRestTest {

  private static final String YAML =
      """
      id: staff
      initial_state: TALK
      modules:
        TALK:
          prompt: talk.txt
          tools: [rag_search]
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private static final String LONG = "Parental leave lasts up to twelve months. ".repeat(12);

  @TempDir private static Path home;

  private static StrictFakeServer fake;
  private static RestLine line;
  private static String id;

  @BeforeAll
  static void search() throws IOException {
    var folder = Files.createDirectories(home.resolve("config/flows/staff"));
    Files.createDirectories(folder.resolve("prompts"));
    Files.createDirectories(folder.resolve("knowledge"));
    Files.writeString(folder.resolve("flow.yaml"), YAML);
    Files.writeString(folder.resolve("prompts/talk.txt"), "Talk.");
    Files.writeString(folder.resolve("knowledge/leave.md"), "# Leave\n\n" + LONG);
    fake = StrictFakeServer.start();
    line =
        RestLine.start(
            TurnsRestTest.class,
            Map.of(
                "habitline.home",
                home.toString(),
                "habitline.flow",
                "staff",
                "openai.base-url",
                fake.baseUrl()));
    id = line.enrolled().path("id").asText();
    awaitTurn(1);
    fake.then(
        Scripted.call("rag_search", "{\"query\":\"How long is parental leave?\"}"),
        Scripted.say("Up to twelve months."));
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"how long can I stay home?\"}");
    awaitTurn(2);
  }

  @AfterAll
  static void stop() {
    line.close();
    fake.close();
  }

  private static void awaitTurn(int number) {
    await()
        .until(() ->
            !line.rows(
                    "SELECT number FROM turn WHERE participant_id = ? AND number = ? AND status = 'done'",
                    id,
                    number)
                .isEmpty());
  }

  private static RestLine.Answer get(String path) {
    return line.get(RestLine.PARTICIPANTS + "/" + id + "/turns/2" + path);
  }

  @Test
  void theMessagesOfATurnAreThoseOfItsIterationsAndEndWithTheReply() {
    JsonNode first = get("/iterations/1/messages").result();
    assertThat(first.findValuesAsText("role"))
        .containsExactly("system", "assistant", "user", "assistant", "tool");
    assertThat(first.at("/3/tool_calls/0/arguments/query").asText()).contains("parental leave");
    assertThat(first.at("/2").has("tool_calls")).isFalse();
    var all = get("/messages").result();
    assertThat(all).startsWith(first.get(0)).hasSize(first.size() + 1);
    assertThat(all.get(all.size() - 1))
        .hasToString("{\"role\":\"assistant\",\"content\":\"Up to twelve months.\"}");
    assertThat(get("/iterations/1").result().path("messages")).isEqualTo(first);
    assertThat(get("/iterations/3/messages").status()).isEqualTo(404);
    assertThat(get("9/messages").status()).isEqualTo(404);
  }

  @Test
  void aCallHasItsArgumentsAndResultAsJson() {
    var call = get("").result().at("/context/iterations/0/tool_calls/0");
    assertThat(call.path("arguments").isObject()).isTrue();
    assertThat(call.at("/result/passages/0/source").asText()).isEqualTo("leave.md, Leave");
  }

  @Test
  void argumentsOfAnyDepthKeepATurnReadable() {
    var deep = "[".repeat(1000) + "]".repeat(1000);
    fake.then(
        Scripted.call("rag_search", "{\"query\":" + deep.substring(1, deep.length() - 1) + "}"),
        Scripted.say("Let me see."));
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"and now?\"}");
    awaitTurn(3);
    var turns = RestLine.PARTICIPANTS + "/" + id + "/turns/3";
    assertThat(line.get(turns).status()).isEqualTo(200);
    assertThat(
            line.get(turns).result().at("/context/iterations/0/tool_calls/0/arguments").isTextual())
        .isTrue();
    assertThat(line.get(turns + "/messages").status()).isEqualTo(200);
    assertThat(line.get("/participants/" + id + "/turns/3").status()).isEqualTo(200);
  }

  @Test
  void thePageThatExplainsTheReplyShowsThePassagesItUsed() {
    var call = get("").result().at("/context/iterations/0/tool_calls/0");
    var page =
        line.get("/participants/" + id + "/turns/2").response().body().replaceAll("\\s+", " ");
    assertThat(page)
        .containsSubsequence(
            "<strong>rag_search</strong>",
            "Passages found",
            "<strong>leave.md, Leave</strong>, score "
                + call.at("/result/passages/0/score").asText(),
            "<p>Parental leave lasts up to twelve months.",
            "…</p>",
            "new messages to and from the model");
    assertThat(page).contains("\"query\" : \"How long is parental leave?\"");
  }
}
