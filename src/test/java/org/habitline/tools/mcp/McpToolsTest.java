package org.habitline.tools.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.habitline.RunningLine;
import org.habitline.conversation.ConversationFlow;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.habitline.participants.Participant;
import org.habitline.tools.OutsideTools;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.LoggerFactory;

/**
 * A flow whose model calls tools of other servers, with the real SDK against a local server: each
 * call is made at most once, whatever happens to either side.
 */
@Order(1)
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
final class McpToolsTest {

  private static final String TOOL = "calendar_find_slots";
  private static final String UNKNOWN =
      "{\"status\":\"unknown\",\"message\":\"It is not known whether this call was carried out, and"
          + " it will not be made again. If another tool can look it up, use that; otherwise say"
          + " that you do not know.\"}";
  private static final String NOT_AVAILABLE =
      "{\"status\":\"error\",\"message\":\"The tool is not available now; the call was not carried"
          + " out.\"}";

  private static FakeMcpServer server;
  private static RunningLine line;
  private static StrictFakeServer fake;
  private static OutsideTools tools;

  private final List<CountDownLatch> held = new ArrayList<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeAll
  static void start() {
    server = FakeMcpServer.start();
    line =
        RunningLine.in(McpToolsTest.class)
            .with("calendar.authorization", "Bearer a-secret-of-a-test")
            .with("notes.token", "noted")
            .with("notes.other", "unlisted")
            .flow(
                "coach",
                """
                id: coach
                initial_state: TALK
                modules:
                  TALK:
                    prompt: talk.txt
                    tools: [calendar.find_slots, calendar.book.slot, notes.look, notes.leave, add_task]
                mcp_servers:
                  calendar:
                    url: %s
                    headers: {Authorization: CALENDAR_AUTHORIZATION}
                    tools: [find_slots, book.slot]
                    timeout_seconds: 30
                  notes:
                    command: ["%s", "@%s"]
                    environment: [NOTES_TOKEN]
                    tools: [look, leave]
                    timeout_seconds: 120
                texts:
                  greeting_fallback: Hello.
                  error_fallback: Sorry.
                  help: Help.
                  deletion_notice: Goodbye.
                  opt_out_confirmation: Understood.
                  resources: Call someone.
                """
                    .formatted(
                        server.url(),
                        ProcessHandle.current().info().command().orElseThrow(),
                        program()))
            .start();
    fake = line.fake();
    tools = line.bean(OutsideTools.class);
  }

  /** The arguments of the program, which are too long for a flow. */
  private static Path program() {
    var file = Path.of("target", "stdio-server.args").toAbsolutePath();
    RunningLine.write(
        file,
        "-cp \"" + System.getProperty("java.class.path") + "\" " + StdioServer.class.getName());
    return file;
  }

  @AfterAll
  static void stop() {
    line.close();
    server.close();
  }

  @BeforeEach
  void usual() {
    server.insteadOfEverything(Optional.empty());
    server.tool("find_slots", "{'type':'object','properties':{'day':{'type':'string'}}}");
    server.without("book.slot");
    tools.refresh();
    logged.start();
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).addAppender(logged);
  }

  @AfterEach
  void nothingThatAServerOrAParticipantSaidIsLogged() {
    held.forEach(CountDownLatch::countDown);
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).detachAppender(logged);
    assertThat(log())
        .doesNotContain("a-secret-of-a-test")
        .doesNotContain("Tuesday the 77th")
        .doesNotContain("gibberish")
        .doesNotContain("nobody may log");
    assertThat(fake.violations()).isEmpty();
    fake.forget();
  }

  /** Returns what the process logged during the test, also for tests that run beside this one. */
  private String log() {
    List<ILoggingEvent> events;
    // The appender adds lines under its own lock.
    synchronized (logged) {
      events = List.copyOf(logged.list);
    }
    return events.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
        .map(ILoggingEvent::getFormattedMessage)
        .collect(Collectors.joining("\n"));
  }

  private static Participant greeted() {
    var participant = line.enrolInto("coach");
    line.awaitTurn(participant, 1);
    fake.forget();
    return participant;
  }

  private static Scripted find(String day) {
    return Scripted.call(TOOL, "{\"day\":\"" + day + "\"}");
  }

  /** What the model read as the result of its newest call. */
  private static String told() {
    return fake.asked().getLast().texts("tool").getLast();
  }

  private static Optional<JsonNode> offered(Asked asked, String name) {
    for (var tool : asked.body().path("tools")) {
      if (tool.at("/function/name").asText().equals(name)) {
        return Optional.of(tool.path("function"));
      }
    }
    return Optional.empty();
  }

  /** Lets the model make the call and then say something; returns what it read. */
  private static String answered(Participant participant, Scripted call) {
    fake.then(call, Scripted.say("All right, then."));
    assertThat(line.answered(participant, "please " + line.turns(participant)))
        .containsEntry("outcome", "replied");
    assertThat(line.phone(participant).getLast()).isEqualTo("All right, then.");
    return told();
  }

  private static String callsOf(Participant participant, int turn) {
    return line.column(
            "SELECT tool_calls FROM iteration WHERE participant_id = ? AND turn = ? AND number = 1",
            participant.id(),
            turn)
        .getFirst();
  }

  private static List<FakeMcpServer.Called> callsSince(int before) {
    return server.calls().subList(before, server.calls().size());
  }

  @Test
  void theModelIsOfferedTheToolAndReadsWhatTheServerAnswered() {
    var robin = line.watched(() -> line.enrolInto("coach"));
    var before = server.calls().size();
    server.then(FakeMcpServer.text("Tuesday the 77th at nine"));
    assertThat(answered(robin, find("Tuesday the 77th")))
        .isEqualTo("{\"status\":\"success\",\"content\":\"Tuesday the 77th at nine\"}");

    var function = offered(fake.asked().getFirst(), TOOL).orElseThrow();
    assertThat(function.path("strict").asBoolean(true)).isFalse();
    assertThat(function.path("description").asText()).isEqualTo("Does find_slots.");
    assertThat(function.path("parameters").toString())
        .isEqualTo("{\"type\":\"object\",\"properties\":{\"day\":{\"type\":\"string\"}}}");
    assertThat(
            offered(fake.asked().getFirst(), "add_task").orElseThrow().path("strict").asBoolean())
        .isTrue();

    assertThat(callsSince(before)).hasSize(1);
    assertThat(callsSince(before).getFirst().tool()).isEqualTo("find_slots");
    assertThat(callsSince(before).getFirst().arguments().path("day").asText())
        .isEqualTo("Tuesday the 77th");
    assertThat(callsSince(before).getFirst().authorization())
        .isEqualTo("Bearer a-secret-of-a-test");
    assertThat(callsOf(robin, 2)).contains("\"source\":\"mcp:calendar\",\"begun\":true");
    assertThat(
            line
                .column(
                    "SELECT payload FROM event WHERE participant_id = ? AND type LIKE 'tool_call.%' ORDER BY seq",
                    robin.id())
                .stream()
                .map(payload -> TurnJson.tree(payload).path("source").asText()))
        .containsExactly("mcp:calendar", "mcp:calendar");
  }

  @Test
  void whileTheServerIsAwayTheModelIsToldAndHealthSaysSo() {
    var robin = greeted();
    var before = server.calls().size();
    server.away();
    try {
      tools.refresh();
      assertThat(tools.warnings())
          .contains(
              "Flow coach, MCP server calendar: no connection can be made; the model is told that"
                  + " its tools are not available");
      assertThat(answered(robin, find("Monday"))).isEqualTo(NOT_AVAILABLE);
    } finally {
      server.back();
    }
    tools.refresh();
    assertThat(tools.warnings()).noneMatch(warning -> warning.contains("no connection"));
    assertThat(answered(robin, find("Monday"))).contains("success");
    assertThat(callsSince(before)).hasSize(1);
  }

  @Test
  void aServerThatWasStartedAgainIsUsedWithoutWaiting() {
    var robin = greeted();
    server.away();
    server.back();
    var first = answered(robin, find("Friday"));
    assertThat(first).as("its session was forgotten").isIn(NOT_AVAILABLE, UNKNOWN);
    assertThat(answered(robin, find("Friday"))).contains("success");
  }

  @Test
  void aCallThatGetsNoAnswerInTimeIsUnknownAndNotMadeAgainInTheTurn() {
    var robin = greeted();
    var before = server.calls().size();
    server.thenHeldBy(latch(), "too late");
    fake.then(find("Sunday"), find("Sunday"), Scripted.say("I do not know."));
    line.answered(robin, "please");
    assertThat(fake.asked().get(1).texts("tool")).containsExactly(UNKNOWN);
    assertThat(fake.asked().get(2).texts("tool")).containsExactly(UNKNOWN, UNKNOWN);
    assertThat(callsSince(before)).hasSize(1);
    assertThat(log()).contains("it is unknown whether find_slots was carried out");
  }

  private CountDownLatch latch() {
    var latch = new CountDownLatch(1);
    held.add(latch);
    return latch;
  }

  @Test
  void nonsenseInsteadOfAnAnswerIsUnknownAndTheNextCallWorks() {
    var robin = greeted();
    var before = server.calls().size();
    for (var nonsense :
        List.of("<html>gibberish</html>", "{\"gibberish\":1}", "", "[]", "{\"jsonrpc\":\"2.0\"}")) {
      server.thenRaw(200, "application/json", nonsense);
      assertThat(answered(robin, find("Monday"))).as(nonsense).isEqualTo(UNKNOWN);
    }
    server.thenRaw(500, "text/plain", "gibberish");
    assertThat(answered(robin, find("Monday"))).isEqualTo(UNKNOWN);
    server.thenRaw(200, "text/event-stream", "data: gibberish\n\n");
    assertThat(answered(robin, find("Monday"))).isEqualTo(UNKNOWN);
    assertThat(answered(robin, find("Monday"))).contains("success");
    assertThat(callsSince(before)).hasSize(8);
  }

  @Test
  void aSessionThatTheServerForgetsDuringACallMakesNoSecondCall() {
    var robin = greeted();
    var before = server.calls().size();
    server.thenRaw(404, "text/plain", "gibberish");
    assertThat(answered(robin, find("Monday"))).isEqualTo(UNKNOWN);
    assertThat(callsSince(before)).hasSize(1);
    assertThat(answered(robin, find("Monday"))).contains("success");
  }

  @Test
  void aServerThatTalksNonsenseFromTheStartIsAWarning() {
    server.insteadOfEverything(Optional.of("gibberish"));
    tools.refresh();
    assertThat(tools.warnings())
        .anyMatch(warning ->
            warning.startsWith(
                "Flow coach, MCP server calendar: its answer is missing or cannot be used"));
    server.insteadOfEverything(Optional.empty());
    tools.refresh();
    assertThat(tools.warnings()).noneMatch(warning -> warning.contains("cannot be used"));
  }

  @Test
  void everyKindOfResultBecomesTextThatTheModelCanRead() {
    var robin = greeted();
    server.then("{'content':[{'type':'text','text':'Tuesday the 77th is full'}],'isError':true}");
    assertThat(answered(robin, find("a")))
        .isEqualTo("{\"status\":\"error\",\"message\":\"Tuesday the 77th is full\"}");
    server.then("{'content':[],'isError':true}");
    assertThat(answered(robin, find("b"))).contains("The tool failed and did not say why.");
    server.then(
        "{'content':[{'type':'text','text':'Here:'},{'type':'image','mimeType':'image/png','data':'QUJDREVGR0hJ'},"
            + "{'type':'resource_link','uri':'file:///a.txt','name':'a'},"
            + "{'type':'resource','resource':{'uri':'file:///b.txt','text':'inside'}}]}");
    assertThat(TurnJson.tree(answered(robin, find("c"))).path("content").asText())
        .isEqualTo(
            "Here:\n[an image, image/png, about 9 bytes, which cannot be shown]\n"
                + "[a link to a: file:///a.txt]\ninside");
    server.then("{'content':[],'structuredContent':{'slots':[9,10]}}");
    assertThat(TurnJson.tree(answered(robin, find("d"))).path("content").asText())
        .isEqualTo("{\"slots\":[9,10]}");
    server.then(FakeMcpServer.text("x".repeat(20_000)));
    assertThat(TurnJson.tree(answered(robin, find("e"))).path("content").asText())
        .hasSizeLessThan(16_100)
        .endsWith("x… [cut off here; the whole has 20000 characters]");
    server.then("{'code':-32602,'message':'day is wrong'}");
    assertThat(answered(robin, find("f")))
        .isEqualTo(
            "{\"status\":\"error\",\"message\":\"The server answered with an error: day is wrong\"}");
  }

  @Test
  void aToolThatComesGoesOrChangesIsNoticed() throws Exception {
    var robin = greeted();
    assertThat(tools.warnings())
        .contains("Flow coach, MCP server calendar: it has no tool book.slot");
    await().until(() -> server.listeners() > 0);
    server.tool("book.slot", "{'type':'object'}");
    server.tellThatToolsChanged();
    await().until(() -> tools.warnings().stream().noneMatch(one -> one.contains("book.slot")));
    tools.refresh();
    assertThat(log())
        .contains(
            "MCP tools available to flow coach: [calendar_find_slots, calendar_book_slot, notes_look,"
                + " notes_leave]");
    answered(robin, find("Monday"));
    assertThat(offered(fake.asked().getLast(), "calendar_book_slot").orElseThrow())
        .hasToString(
            "{\"name\":\"calendar_book_slot\",\"description\":\"Does book.slot.\",\"parameters\":"
                + "{\"type\":\"object\",\"properties\":{}},\"strict\":false}");

    server.tool("find_slots", "{'type':'object','properties':{'date':{'type':'string'}}}");
    server.tool("book.slot", "{'type':'string'}");
    tools.refresh();
    assertThat(tools.warnings())
        .contains(
            "Flow coach, MCP server calendar: it describes find_slots otherwise than at first;"
                + " check the prompt files",
            "Flow coach, MCP server calendar: book.slot is left out, because its arguments are not"
                + " described as a JSON object");

    server.without("find_slots");
    tools.refresh();
    assertThat(log())
        .contains(
            "MCP tools available to flow coach: [notes_look, notes_leave]; not available:"
                + " [calendar_find_slots, calendar_book_slot]");
    var before = server.calls().size();
    assertThat(answered(robin, find("Monday")))
        .isEqualTo(
            "{\"status\":\"error\",\"message\":\"The server no longer has this tool; the call was"
                + " not carried out.\"}");
    assertThat(offered(fake.asked().getLast(), TOOL)).isEmpty();
    assertThat(callsSince(before)).isEmpty();
  }

  @Test
  void argumentsThatCannotBeReadReachNoServer() {
    var robin = greeted();
    var before = server.calls().size();
    assertThat(answered(robin, Scripted.call(TOOL, "{\"day\":")))
        .contains("\"field\":\"arguments\"");
    assertThat(callsSince(before)).isEmpty();
  }

  @Test
  void aProgramIsAskedOverItsInputAndOutputAndSeesOnlyItsOwnVariables() {
    var robin = greeted();
    assertThat(answered(robin, Scripted.call("notes_look", "{}")))
        .isEqualTo("{\"status\":\"success\",\"content\":\"token noted, path true, secret null\"}");
    assertThat(callsOf(robin, 2)).contains("\"source\":\"mcp:notes\"");
  }

  @Test
  void aProgramThatEndsDuringACallIsStartedAgainForTheNext() {
    var robin = greeted();
    assertThat(answered(robin, Scripted.call("notes_leave", "{}"))).isEqualTo(UNKNOWN);
    assertThat(log()).contains("leave was carried out: its program has ended");
    assertThat(answered(robin, Scripted.call("notes_look", "{}"))).contains("token noted");
  }

  // Crashes

  /** Lets the process die where it is, as the next start finds it. */
  private static void dead() {
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
  }

  private static void resume(Participant participant) {
    line.bean(ConversationFlow.class).handle(participant.id());
    line.awaitTurn(participant, 2);
  }

  private static void awaitCalls(int number) {
    await().pollInterval(Duration.ofMillis(5)).until(() -> server.calls().size() == number);
  }

  private static void awaitAsked(int requests) {
    await().pollInterval(Duration.ofMillis(5)).until(() -> fake.asked().size() == requests);
  }

  @Test
  void aCallThatACrashInterruptedIsUnknownAndNotRepeated() {
    var robin = greeted();
    var before = server.calls().size();
    server.thenHeldBy(latch(), "nobody hears this");
    fake.then(find("Tuesday the 77th"));
    line.text(robin, "hello");
    awaitCalls(before + 1);
    assertThat(callsOf(robin, 2))
        .as("on disk before it runs")
        .contains("\"result\":null,\"source\":\"mcp:calendar\",\"begun\":true");
    dead();
    fake.then(Scripted.say("I do not know."));
    resume(robin);
    assertThat(told()).isEqualTo(UNKNOWN);
    assertThat(fake.asked()).hasSize(2);
    assertThat(callsSince(before)).hasSize(1);
    assertThat(line.phone(robin).getLast()).isEqualTo("I do not know.");
    assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().toolCalls().getFirst().result())
        .hasToString(UNKNOWN);
  }

  @Test
  void aCallThatACrashInterruptedIsNotRepeatedAlsoIfRetentionClearedTheHistorySince() {
    var robin = greeted();
    var before = server.calls().size();
    server.thenHeldBy(latch(), "nobody hears this");
    fake.then(find("Tuesday the 77th"));
    line.text(robin, "hello");
    awaitCalls(before + 1);
    line.write(
        "UPDATE message SET content = '', cleared_at = created_at WHERE participant_id = ?",
        robin.id());
    dead();
    fake.then(Scripted.say("I do not know."));
    resume(robin);
    assertThat(told()).isEqualTo(UNKNOWN);
    assertThat(callsSince(before)).hasSize(1);
    assertThat(fake.asked()).hasSize(2);
    assertThat(line.phone(robin).getLast()).isEqualTo("I do not know.");
  }

  @Test
  void aResultThatCameBeforeACrashIsReadAgainEvenIfTheToolHasChangedSince() {
    var robin = greeted();
    var before = server.calls().size();
    server.then(FakeMcpServer.text("at nine"));
    fake.then(find("Tuesday the 77th")).then(Scripted.say("nobody hears this").heldBy(latch()));
    line.text(robin, "hello");
    awaitAsked(2);
    dead();
    server.tool("find_slots", "{'type':'object','properties':{'date':{'type':'string'}}}");
    tools.refresh();
    fake.then(Scripted.say("At nine."));
    resume(robin);
    assertThat(fake.asked()).as("the call was not asked for again").hasSize(3);
    assertThat(told()).isEqualTo("{\"status\":\"success\",\"content\":\"at nine\"}");
    assertThat(callsSince(before)).hasSize(1);
    assertThat(line.phone(robin).getLast()).isEqualTo("At nine.");
  }

  @Test
  void ofSeveralCallsOnlyTheOneThatRanIsUnknownAndThoseAfterItAreMade() {
    var robin = greeted();
    var before = server.calls().size();
    server.then(FakeMcpServer.text("one")).thenHeldBy(latch(), "nobody hears this");
    fake.then(
        Scripted.calls(
            new Call("a", TOOL, "{\"day\":\"1\"}"),
            new Call("b", TOOL, "{\"day\":\"2\"}"),
            new Call("c", TOOL, "{\"day\":\"3\"}")));
    line.text(robin, "hello");
    awaitCalls(before + 2);
    dead();
    fake.then(Scripted.say("One and three."));
    resume(robin);
    assertThat(fake.asked().getLast().texts("tool"))
        .containsExactly(
            "{\"status\":\"success\",\"content\":\"one\"}",
            UNKNOWN,
            "{\"status\":\"success\",\"content\":\"done\"}");
    assertThat(callsSince(before).stream().map(call -> call.arguments().path("day").asText()))
        .containsExactly("1", "2", "3");
  }

  @Test
  void aTurnThatCrashesTooOftenIsClosedWithTheUnknownCallAsItIs() {
    var robin = greeted();
    var before = server.calls().size();
    server.thenHeldBy(latch(), "nobody hears this");
    fake.then(find("Tuesday the 77th"));
    line.text(robin, "hello");
    awaitCalls(before + 1);
    dead();
    for (int crash = 2; crash <= Claim.ATTEMPTS_AT_MOST; crash++) {
      var asked = fake.asked().size();
      fake.then(Scripted.say("nobody hears this").heldBy(latch()));
      Thread.startVirtualThread(() -> line.bean(ConversationFlow.class).handle(robin.id()));
      awaitAsked(asked + 1);
      dead();
    }
    resume(robin);
    assertThat(line.turn(robin, 2).orElseThrow()).containsEntry("outcome", "crashed");
    assertThat(callsSince(before)).hasSize(1);
    assertThat(
            Objects.requireNonNull(
                line.iterations(robin, 2)
                    .iteration(1)
                    .orElseThrow()
                    .toolCalls()
                    .getFirst()
                    .result()))
        .hasToString(UNKNOWN);
  }
}
