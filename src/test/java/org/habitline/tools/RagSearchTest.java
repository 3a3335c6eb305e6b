package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RagSearchTest {

  private static final String YAML =
      """
      id: staff
      initial_state: TALK
      modules:
        TALK:
          prompt: talk.txt
          tools: [rag_search: {passages: 1}]
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  @TempDir Path home;

  private ToolCatalog tools() {
    return new ToolCatalog(List.of(new RagSearch(documents())));
  }

  private KnowledgeBases documents() {
    return Habit.documents(home.resolve("config/flows"));
  }

  private FlowCatalog flows() throws IOException {
    var folder = home.resolve("config/flows/staff");
    Files.createDirectories(folder.resolve("prompts"));
    Files.writeString(folder.resolve("flow.yaml"), YAML);
    Files.writeString(folder.resolve("prompts/talk.txt"), "Talk.");
    return new FlowCatalog(home, "staff", tools(), Optional.empty(), text -> false);
  }

  private void document(String file, String text) throws IOException {
    Files.writeString(
        Files.createDirectories(home.resolve("config/flows/staff/knowledge")).resolve(file), text);
  }

  private String search(String query) throws IOException {
    var flow = flows().defaultFlow();
    FlowModule module = flow.module("TALK").orElseThrow();
    var run = Habit.run(flow, module.id(), Habit.complete(), "unasked");
    return tools()
        .call(run, module, new ToolCall("call_1", "rag_search", "{\"query\":\"" + query + "\"}"))
        .result()
        .toString();
  }

  @Test
  void withoutAFolderTheServiceIsNotAvailable() throws IOException {
    assertThat(search("leave"))
        .isEqualTo("{\"status\":\"error\",\"message\":\"Knowledge base service not available\"}");
    assertThat(documents().warnings(flows().all()))
        .containsExactly(
            "config/flows/staff/knowledge is missing; rag_search tells the model that the knowledge"
                + " base service is not available");
  }

  @Test
  void theBestPassagesComeWithTheirSourceAndScore() throws IOException {
    document("leave.md", "# Leave\n\nParental leave lasts up to twelve months.");
    document("food.txt", "Lunch is at noon.");

    assertThat(search("How long is parental leave?"))
        .startsWith(
            "{\"status\":\"success\",\"passages\":[{\"source\":\"leave.md, Leave\",\"score\":")
        .contains("Parental leave lasts up to twelve months.")
        .doesNotContain("Lunch");
    assertThat(documents().warnings(flows().all())).isEmpty();
  }

  @Test
  void aSearchThatFindsNothingSaysSo() throws IOException {
    document("food.txt", "Lunch is at noon.");

    assertThat(search("zebra"))
        .isEqualTo(
            "{\"status\":\"success\",\"passages\":[],\"message\":\"No document fits this query.\"}");
  }

  @Test
  void aDocumentThatCannotBeReadIsAWarningAndTheOthersAreFound() throws IOException {
    document("broken.pdf", "no PDF");
    document("food.txt", "Lunch is at noon.");

    assertThat(search("lunch")).contains("Lunch is at noon.");
    assertThat(documents().warnings(flows().all()))
        .singleElement()
        .asString()
        .startsWith("config/flows/staff/knowledge: ")
        .contains("broken.pdf");
  }
}
