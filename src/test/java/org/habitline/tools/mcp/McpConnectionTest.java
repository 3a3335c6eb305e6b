package org.habitline.tools.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.micronaut.core.value.MapPropertyResolver;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.habitline.flows.McpServer;
import org.junit.jupiter.api.Test;

/** A server that cannot even begin is told apart from one that is slow, and at once. */
class McpConnectionTest {

  private static McpServer server(McpServer.Place place) {
    return new McpServer("other", place, List.of("find_slots"), Duration.ofMinutes(2));
  }

  /** Returns what is wrong with a server whose tool was called. */
  private static List<String> wrong(McpServer.Place place) {
    var connection =
        new McpConnection(server(place), new Transports(new MapPropertyResolver(Map.of())));
    try {
      var outcome =
          connection.call(
              "find_slots", JsonNodeFactory.instance.objectNode(), Duration.ofMinutes(2));
      assertThat(outcome.failed()).isTrue();
      assertThat(outcome.result().path("message").asText())
          .isEqualTo("The tool is not available now; the call was not carried out.");
      return connection.warnings(List.of("find_slots"));
    } finally {
      connection.close();
    }
  }

  private static McpServer.Place program(String... command) {
    return new McpServer.Place.Program(List.of(command), List.of());
  }

  @Test
  void aProgramThatIsNotThereCannotBeStarted() {
    assertThat(wrong(program("/no/such/program")))
        .containsExactly(
            "its program cannot be started; the model is told that its tools are not available");
  }

  @Test
  void aProgramThatEndsAtOnceIsNotWaitedFor() {
    assertThat(wrong(program("sh", "-c", "exit 3")))
        .containsExactly(
            "its program has ended; the model is told that its tools are not available");
  }

  @Test
  void aListOfToolsThatDoesNotEndIsAMistakeOfTheServer() {
    try (var server = FakeMcpServer.start()) {
      server.listsForEver();
      assertThat(wrong(new McpServer.Place.Web(URI.create(server.url()), Map.of())))
          .containsExactly(
              "its list of tools does not end; the model is told that its tools are not available");
    }
  }

  @Test
  void whoeverHasLittleTimeLeftDoesNotEndTheSessionOfOthers() throws Exception {
    var held = new CountDownLatch(1);
    try (var server = FakeMcpServer.start();
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var connection =
          new McpConnection(
              server(new McpServer.Place.Web(URI.create(server.url()), Map.of())),
              new Transports(new MapPropertyResolver(Map.of())));
      server.thenHeldBy(held, "booked").thenHeldBy(held, "nobody hears this");
      var first = threads.submit(() -> called(connection, Duration.ofMinutes(2)));
      await().until(() -> server.calls().size() == 1);
      assertThat(called(connection, Duration.ofMillis(200))).contains("\"unknown\"");
      server.insteadOfEverything(Optional.of("nonsense"));
      assertThat(called(connection, Duration.ofSeconds(5))).contains("\"unknown\"");
      server.insteadOfEverything(Optional.empty());
      held.countDown();
      assertThat(first.get()).contains("\"success\"", "booked");
      connection.close();
    } finally {
      held.countDown();
    }
  }

  private static String called(McpConnection connection, Duration atMost) {
    return connection
        .call("find_slots", JsonNodeFactory.instance.objectNode(), atMost)
        .result()
        .toString();
  }

  @Test
  void aVariableThatIsNotSetIsNamed() {
    assertThat(wrong(new McpServer.Place.Program(List.of("sh"), List.of("A_TOKEN_OF_A_TEST"))))
        .containsExactly(
            "the environment variable A_TOKEN_OF_A_TEST is not set; the model is told that its tools"
                + " are not available");
  }
}
