package org.habitline.staff.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A participant's tools, used over HTTP with the client of the protocol's official SDK. */
class McpTest {

  private static final String NAMES = "X-Habitline-Participant";
  private static final JsonMapper JSON = new JsonMapper();

  private static TasksLine tasks;

  @BeforeAll
  static void start() {
    tasks = TasksLine.start(McpTest.class);
  }

  @AfterAll
  static void stop() {
    tasks.close();
  }

  /** Calls a tool in the participant's name; the arguments are names and values in turn. */
  private static McpSchema.CallToolResult call(
      McpSyncClient client, Participant participant, String tool, Object... others) {
    var arguments = new LinkedHashMap<String, Object>();
    arguments.put("user_id", participant.id());
    for (int i = 0; i < others.length; i += 2) {
      arguments.put((String) others[i], others[i + 1]);
    }
    return client.callTool(McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
  }

  private static JsonNode said(McpSchema.CallToolResult result) {
    var said = JSON.valueToTree(result.structuredContent());
    assertThat(((McpSchema.TextContent) result.content().getFirst()).text())
        .as("clients that read text see the same")
        .isEqualTo(said.toString());
    return (JsonNode) said;
  }

  private static String request(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
        .formatted(method, params);
  }

  private static ParticipantChange changed(ParticipantStatus status) {
    return ParticipantChange.ofStatus(status);
  }

  private static List<String> stored(Participant participant) {
    return tasks
        .line()
        .column(
            "SELECT content FROM record WHERE participant_id = ? AND kind = 'task' ORDER BY record_id",
            participant.id());
  }

  private static List<Map<String, Object>> audited(Participant participant) {
    return tasks
        .line()
        .rows(
            "SELECT actor, role, subject, new_value FROM audit_event"
                + " WHERE action = 'tool called' AND participant_id = ? ORDER BY seq",
            participant.id());
  }

  @Test
  void aTokenOpensItsParticipantsTools() {
    var ada = tasks.someone();
    try (var client = tasks.client(tasks.token(ada))) {
      assertThat(client.getServerInstructions()).contains(ada.id());
      assertThat(client.listTools().tools())
          .extracting(McpSchema.Tool::name)
          .as("what may be called outside a turn, in the order of the flow")
          .containsExactly("add_task", "list_tasks", "complete_task", "update_task", "delete_task");

      assertThat(said(call(client, ada, "add_task", "title", "Buy milk")).at("/task/id").asInt())
          .isEqualTo(1);
      call(client, ada, "add_task", "title", "Water the plants");
      call(client, ada, "complete_task", "task_id", 2);
      assertThat(said(call(client, ada, "list_tasks", "status", "pending")))
          .hasToString(
              "{\"status\":\"success\",\"count\":1,\"tasks\":"
                  + "[{\"id\":1,\"title\":\"Buy milk\",\"completed\":false}]}");
      var deleted = call(client, ada, "delete_task", "task_id", 1);
      assertThat(deleted.isError()).isFalse();
    }
    assertThat(stored(ada))
        .containsExactly("{\"id\":2,\"title\":\"Water the plants\",\"completed\":true}");
    assertThat(audited(ada))
        .hasSize(5)
        .allSatisfy(entry ->
            assertThat(entry).containsEntry("actor", ada.id()).containsEntry("role", "participant"))
        .extracting(entry -> entry.get("subject") + ": " + entry.get("new_value"))
        .containsExactly(
            "add_task: stored task 1, stored counter task",
            "add_task: stored task 2, stored counter task",
            "complete_task: stored task 2",
            "list_tasks: null",
            "delete_task: deleted task 1");
    assertThat(
            tasks
                .line()
                .column(
                    "SELECT payload FROM event WHERE participant_id = ? AND type = 'participant.changed'",
                    ada.id()))
        .hasSize(4)
        .containsOnly("{\"what\":\"tool_called\"}");
  }

  @Test
  void theCoachSeesWhatWasAddedAndTheClientWhatTheCoachAdded() {
    var ada = tasks.someone();
    try (var client = tasks.client(tasks.token(ada))) {
      call(client, ada, "add_task", "title", "Buy milk");
      tasks
          .line()
          .fake()
          .then(
              Scripted.call(
                  "add_task",
                  "{\"user_id\":\"%s\",\"title\":\"Call the dentist\"}".formatted(ada.id())),
              Scripted.say("You have 2 tasks."));
      tasks.line().answered(ada, "please remind me of the dentist");
      assertThat(tasks.line().fake().asked().getLast().body().toString())
          .contains("\\\"count\\\":2");
      assertThat(said(call(client, ada, "list_tasks", "status", "all")).path("count").asInt())
          .isEqualTo(2);
    }
  }

  @Test
  void aKeyOfStaffNamesTheParticipantInAHeader() {
    var ada = tasks.someone();
    var key = tasks.key("the app of the study", "staff");
    var unnamed = tasks.mcp(key, request("tools/list", "{}"));
    assertThat(unnamed.status()).isEqualTo(400);
    assertThat(unnamed.message())
        .isEqualTo(
            NAMES + ": missing; with a key, this header must hold the id of the participant.");
    assertThat(tasks.mcp(key, request("tools/list", "{}"), NAMES, "conv_nobody").status())
        .isEqualTo(404);
    try (var client = tasks.client(key, NAMES, ada.id())) {
      assertThat(client.listTools().tools()).hasSize(5);
      call(client, ada, "add_task", "title", "Buy milk");
    }
    assertThat(stored(ada)).hasSize(1);
    assertThat(audited(ada))
        .singleElement()
        .satisfies(entry ->
            assertThat(entry)
                .containsEntry("actor", "the app of the study")
                .containsEntry("role", "staff"));
  }

  @Test
  void othersAreRefused() {
    var ada = tasks.someone();
    var list = request("tools/list", "{}");
    assertThat(tasks.mcp("", list, NAMES, ada.id()).status()).isEqualTo(401);
    assertThat(tasks.mcp("hl_wrong", list, NAMES, ada.id()).status()).isEqualTo(401);
    var researcher = tasks.key("a researcher", "researcher");
    assertThat(tasks.mcp(researcher, list, NAMES, ada.id()).status()).isEqualTo(403);
    assertThatThrownBy(() -> tasks.client("hl_wrong").close()).isNotNull();
  }

  @Test
  void aTokenOpensNobodyElsesToolsAndNoOtherAddress() {
    var ada = tasks.someone();
    var other = tasks.someone();
    var token = tasks.token(ada);
    assertThat(tasks.mcp(token, request("tools/list", "{}"), NAMES, ada.id()).status())
        .isEqualTo(200);
    var refused = tasks.mcp(token, request("tools/list", "{}"), NAMES, other.id());
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message()).contains("only their own tools");
    assertThat(tasks.send(token, "GET", "/keys", "").status()).isEqualTo(401);
    assertThat(tasks.send(token, "GET", "/conversation/participants/" + ada.id(), "").status())
        .isEqualTo(401);
    try (var client = tasks.client(token)) {
      var result = call(client, other, "add_task", "title", "Buy milk");
      assertThat(result.isError()).isTrue();
      assertThat(said(result).path("field").asText()).isEqualTo("user_id");
      assertThat(said(result).path("valid_values")).hasToString("[\"" + ada.id() + "\"]");
    }
    assertThat(stored(ada)).isEmpty();
    assertThat(stored(other)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://other.example", "null", "http://127.0.0.1:1"})
  void anotherSiteIsRefusedEvenWithAToken(String origin) {
    var token = tasks.token(tasks.someone());
    assertThat(tasks.mcp(token, request("ping", "{}"), "Origin", origin).status()).isEqualTo(403);
    assertThat(tasks.mcp(token, request("ping", "{}"), "Origin", "http://" + tasks.host()).status())
        .isEqualTo(200);

    assertThat(
            tasks
                .send(
                    tasks.key("Sam at " + origin.hashCode(), "staff"),
                    "POST",
                    "/mcp/",
                    request("ping", "{}"),
                    "Origin",
                    origin)
                .status())
        .as("with a slash at the end")
        .isEqualTo(403);
  }

  @Test
  void aCallDuringAReplyIsBusyAndWorksOnceTheReplyIsOut() {
    var ada = tasks.someone();
    var latch = new CountDownLatch(1);
    tasks.line().fake().then(Scripted.say("Here I am.").heldBy(latch));
    tasks.line().text(ada, "hello?");
    await().until(() -> !tasks.line().fake().asked().isEmpty());
    try (var client = tasks.client(tasks.token(ada))) {
      var busy = call(client, ada, "add_task", "title", "Buy milk");
      assertThat(busy.isError()).isTrue();
      assertThat(said(busy).path("code").asText()).isEqualTo("busy");
      assertThat(stored(ada)).isEmpty();
      latch.countDown();
      tasks.line().awaitTurn(ada, 2);
      assertThat(call(client, ada, "add_task", "title", "Buy milk").isError()).isFalse();
    }
    assertThat(tasks.line().turn(ada, 2).orElseThrow()).containsEntry("status", "done");
    assertThat(stored(ada)).hasSize(1);
  }

  @Test
  void callsAtTheSameTimeRunOneAfterTheOther() throws Exception {
    var ada = tasks.someone();
    var token = tasks.token(ada);
    var body =
        request(
            "tools/call",
            "{\"name\":\"add_task\",\"arguments\":{\"user_id\":\"%s\",\"title\":\"Buy milk\"}}"
                .formatted(ada.id()));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers =
          threads.invokeAll(
              IntStream.range(0, 12)
                  .<Callable<Boolean>>mapToObj(number ->
                      () -> {
                        while (true) {
                          var result = tasks.mcp(token, body).json().path("result");
                          if (!result.at("/structuredContent/code").asText().equals("busy")) {
                            return !result.path("isError").asBoolean(true);
                          }
                        }
                      })
                  .toList());
      for (var answer : answers) {
        assertThat(answer.get()).isTrue();
      }
    }
    assertThat(stored(ada)).hasSize(12).doesNotHaveDuplicates();
    assertThat(
            tasks
                .line()
                .rows("SELECT owner FROM lease WHERE participant_id = ?", ada.id())
                .getFirst()
                .get("owner"))
        .isNull();
  }

  @ParameterizedTest
  @CsvSource({"PAUSED, paused", "COMPLETED, completed"})
  void whoeverDoesNotTakePartNowIsToldSo(ParticipantStatus status, String word) {
    var ada = tasks.someone();
    tasks.line().bean(Participants.class).update(ada.id(), changed(status));
    try (var client = tasks.client(tasks.token(ada))) {
      var refused = call(client, ada, "add_task", "title", "Buy milk");
      assertThat(refused.isError()).isTrue();
      assertThat(said(refused).path("code").asText()).isEqualTo("not_active");
      assertThat(said(refused).path("message").asText()).contains("status is " + word);
    }
    assertThat(stored(ada)).isEmpty();
  }

  @Test
  void whoeverWithdrewOrIsErasedHasNoToolsAnyMore() {
    var ada = tasks.someone();
    var token = tasks.token(ada);
    var list = request("tools/list", "{}");
    var participants = tasks.line().bean(Participants.class);
    participants.update(ada.id(), changed(ParticipantStatus.WITHDRAWN));
    assertThat(tasks.mcp(token, list).status()).isEqualTo(401);
    assertThat(tasks.mcp(TasksLine.ADMIN, list, NAMES, ada.id()).status()).isEqualTo(200);
    participants.leave(ada.id(), false);
    assertThat(tasks.mcp(TasksLine.ADMIN, list, NAMES, ada.id()).status()).isEqualTo(404);
  }

  @Test
  void theToolsAreThoseOfTheModuleThatRepliesNow() {
    var ada = tasks.someone();
    try (var client = tasks.client(tasks.token(ada))) {
      call(client, ada, "add_task", "title", "Buy milk");
      tasks.line().bean(Takeover.class).force(ada, "REST", "a tester");
      assertThat(client.listTools().tools())
          .extracting(McpSchema.Tool::name)
          .containsExactly("list_tasks");
      assertThatThrownBy(() -> call(client, ada, "add_task", "title", "Buy milk"))
          .hasMessageContaining("Unknown tool");
      assertThat(said(call(client, ada, "list_tasks", "status", "all")).path("count").asInt())
          .isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | jsonrpc: expected",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"} | jsonrpc: expected",
        "{\"jsonrpc\":\"2.0\",\"id\":1} | method: missing",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"} | id: expected",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"} | id: expected",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]} | params: expected",
        "[] | The body has the wrong shape",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} | Unknown field"
      })
  void aMessageThatIsNoneIsRefusedWithASentence(String body, String sentence) {
    var answer = tasks.mcp(tasks.token(tasks.someone()), body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains(sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tools/guess | {} | -32601",
        "resources/list | {} | -32601",
        "tools/call | {\"name\":\"scheduler\",\"arguments\":{}} | -32602",
        "tools/call | {\"name\":{\"secret\":1},\"arguments\":{}} | -32602",
        "tools/call | {\"name\":\"add_task\",\"arguments\":\"secret\"} | -32602",
        "tools/call | {} | -32602",
        "initialize | {\"protocolVersion\":[\"secret\"]} | -32602"
      })
  void whatTheProtocolDoesNotKnowIsAnErrorThatQuotesNothing(
      String method, String params, int code) {
    var answer = tasks.mcp(tasks.token(tasks.someone()), request(method, params));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().at("/error/code").asInt())
        .as(answer.response().body())
        .isEqualTo(code);
    assertThat(answer.response().body()).doesNotContain("secret", "Exception", "jackson");
  }

  @Test
  void otherMethodsAndVersionsAreRefusedAndNotificationsTaken() {
    var token = tasks.token(tasks.someone());
    assertThat(tasks.send(token, "GET", "/mcp", "").status()).isEqualTo(405);
    assertThat(tasks.send(token, "DELETE", "/mcp", "").status()).isEqualTo(405);
    var version = "MCP-Protocol-Version";
    assertThat(tasks.mcp(token, request("ping", "{}"), version, "2025-06-18").status())
        .isEqualTo(200);
    var older = tasks.mcp(token, request("ping", "{}"), version, "2024-01-01");
    assertThat(older.status()).isEqualTo(400);
    assertThat(older.message()).contains("expected one of 2025-03-26");
    var notified =
        tasks.mcp(token, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    assertThat(notified.status()).isEqualTo(202);
    assertThat(notified.response().body()).isEmpty();
  }
}
