package org.habitline.staff.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Map;
import org.habitline.whole.NodeTools;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official TypeScript client uses a participant's tools. Needs Node, as OpenApiLintTest. */
@Tag("node")
final class TypeScriptClientTest {

  @BeforeAll
  static void install() throws IOException, InterruptedException {
    NodeTools.install();
    NodeTools.copy("mcp.mjs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"token", "header"})
  void listsAndCallsTheTools(String named) throws IOException, InterruptedException {
    try (var tasks = TasksLine.start(TypeScriptClientTest.class)) {
      var ada = tasks.someone();
      var key = named.equals("token") ? tasks.token(ada) : tasks.key("the app", "staff");
      var name = "mcp-" + named;
      assertThat(
              NodeTools.run(
                  name, Map.of(), "node", "mcp.mjs", tasks.address(), key, ada.id(), named))
          .as("see target/node/" + name + ".err.txt")
          .isZero();
      var said = new JsonMapper().readTree(NodeTools.said(name).toFile());
      assertThat(said.at("/server/name").asText()).isEqualTo("habitline");
      assertThat(said.path("capabilities").has("tools")).isTrue();
      assertThat(said.path("instructions").asText()).contains(ada.id());
      assertThat(said.path("tools").findValuesAsText("name")).hasSize(5).contains("add_task");
      assertThat(said.at("/tools/0/inputSchema/required")).hasToString("[\"user_id\",\"title\"]");
      var calls = said.path("calls");
      assertThat(calls.findValuesAsText("failed"))
          .containsExactly("false", "false", "false", "false", "false", "false", "true", "true");
      assertThat(calls.at("/4/structured/tasks"))
          .hasToString(
              "[{\"id\":1,\"title\":\"Water the plants\",\"completed\":true},"
                  + "{\"id\":2,\"title\":\"Buy oat milk\",\"completed\":false}]");
      assertThat(calls).allSatisfy(call -> assertThat(same(call)).isTrue());
      assertThat(calls.at("/7/text/field").asText()).isEqualTo("user_id");
      assertThat(said.path("unknown").asInt()).isEqualTo(-32602);
      assertThat(said.path("errors")).isEmpty();
      assertThat(
              tasks
                  .line()
                  .column(
                      "SELECT content FROM record WHERE participant_id = ? AND kind = 'task'",
                      ada.id()))
          .containsExactly("{\"id\":2,\"title\":\"Buy oat milk\",\"completed\":false}");
    }
  }

  private static boolean same(JsonNode call) {
    return call.path("text").equals(call.path("structured"));
  }
}
