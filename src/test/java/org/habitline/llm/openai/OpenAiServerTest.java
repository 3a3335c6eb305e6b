package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.habitline.llm.openai.Asking.LONG_ENOUGH;
import static org.habitline.llm.openai.Asking.SECRET;
import static org.habitline.llm.openai.Asking.TEXT;
import static org.habitline.llm.openai.Asking.request;
import static org.habitline.llm.openai.Asking.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ChatServer.MayHelp;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.ToolResult;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolCall;
import org.habitline.llm.openai.Scripted.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt over real HTTP: what is sent, and what each kind of answer is read as. */
final class OpenAiServerTest {

  private final StrictFakeServer fake = StrictFakeServer.start();
  private final Asking asking = new Asking(fake);

  @AfterEach
  void theVendorsRulesWereKept() {
    asking.close();
    fake.close();
    assertThat(fake.violations()).isEmpty();
  }

  private Attempt ask(ModelRequest request) {
    return asking.server().ask(request, "model-a", LONG_ENOUGH);
  }

  private ModelReply reply(Scripted scripted, ModelRequest request) {
    fake.then(scripted);
    return assertThat(ask(request)).asInstanceOf(type(Attempt.Answered.class)).actual().reply();
  }

  private ModelReply reply(Scripted scripted) {
    return reply(scripted, request());
  }

  private Attempt.Unanswered unanswered(Scripted scripted) {
    fake.then(scripted);
    var unanswered =
        assertThat(ask(request())).asInstanceOf(type(Attempt.Unanswered.class)).actual();
    assertThat(unanswered.reason())
        .doesNotContain(TEXT, SECRET, "{", "<", "scripted")
        .hasSizeLessThan(120);
    return unanswered;
  }

  @Test
  void aTextIsWhatTheModelSays() {
    var reply = reply(Scripted.say("Hello.").by("model-a-2026"));
    assertThat(reply).isInstanceOf(ModelReply.Says.class);
    assertThat(((ModelReply.Says) reply).text()).isEqualTo("Hello.");
    var receipt = reply.receipt();
    assertThat(receipt.modelAsked()).isEqualTo("model-a");
    assertThat(receipt.modelReturned()).isEqualTo("model-a-2026");
    assertThat(receipt.requestId()).isEqualTo("req_fake");
    assertThat(receipt.finishReason()).isEqualTo("stop");
    assertThat(receipt.promptTokens()).isEqualTo(100);
    assertThat(receipt.completionTokens()).isEqualTo(10);
    assertThat(receipt.latencyMillis()).isNotNegative();
    assertThat(receipt.attempts()).isEqualTo(1);
  }

  @Test
  void onlyWhatIsGivenIsSent() {
    reply(Scripted.say("Hello."));
    var body = fake.asked().getFirst().body();
    assertThat(body.properties().stream().map(Map.Entry::getKey))
        .containsExactlyInAnyOrder("model", "messages");
    assertThat(body.path("model").asText()).isEqualTo("model-a");
    assertThat(fake.asked().getFirst().authorization()).isEqualTo("Bearer " + SECRET);
  }

  @Test
  void everyKindOfMessageIsSentInItsRole() {
    List<ModelMessage> messages =
        List.of(
            new SystemText("You coach."),
            new UserText("hi"),
            new AssistantText("Let me see.", List.of(new ToolCall("c1", "look", "{\"a\":"))),
            new ToolResult("c1", "{\"status\":\"error\"}"),
            new AssistantText(null, List.of(new ToolCall("c2", "look", ""))),
            new ToolResult("c2", ""),
            new AssistantText("Done.", List.of()),
            new AssistantText(null, List.of()),
            new UserText(""));
    reply(Scripted.say("Hello."), request(messages, List.of()));
    var sent = fake.asked().getFirst().messages();
    assertThat(sent.stream().map(message -> message.path("role").asText()))
        .containsExactly(
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
            "tool",
            "assistant",
            "assistant",
            "user");
    assertThat(sent.get(2).path("content").asText()).isEqualTo("Let me see.");
    assertThat(sent.get(2).at("/tool_calls/0/id").asText()).isEqualTo("c1");
    assertThat(sent.get(2).at("/tool_calls/0/function/arguments").asText())
        .as("arguments that are no object are refused by servers when they see them again")
        .isEqualTo("{}");
    assertThat(sent.get(3).path("tool_call_id").asText()).isEqualTo("c1");
    assertThat(sent.get(6).has("tool_calls")).isFalse();
  }

  @Test
  void toolsAreSentAsStrictFunctionsWithTheirSchemaAsItIs() {
    reply(Scripted.say("Hello."), request(List.of(new UserText("hi")), List.of(tool("look"))));
    var body = fake.asked().getFirst().body();
    var function = body.at("/tools/0/function");
    assertThat(function.path("name").asText()).isEqualTo("look");
    assertThat(function.path("description").asText()).isEqualTo("Does it.");
    assertThat(function.path("strict").asBoolean()).isTrue();
    assertThat((Object) function.path("parameters")).isEqualTo(tool("look").schema());
    assertThat(body.path("tool_choice").asText()).isEqualTo("auto");
    assertThat(body.has("parallel_tool_calls")).as("only what a flow sets is sent").isFalse();
  }

  @Test
  void aModelThatMustSpeakIsShownItsToolsButMayNotCall() {
    reply(
        Scripted.say("Hello."),
        new ModelRequest(
            null, 0.5, 300, List.of(new UserText("hi")), List.of(tool("look")), true, true));
    var body = fake.asked().getFirst().body();
    assertThat(body.path("tool_choice").asText()).isEqualTo("none");
    assertThat(body.path("parallel_tool_calls").asBoolean()).isTrue();
    assertThat(body.path("tools")).hasSize(1);
    assertThat(body.path("temperature").asDouble()).isEqualTo(0.5);
    assertThat(body.path("max_tokens").asInt()).isEqualTo(300);
  }

  @Test
  void aModelThatMustSpeakButHasNoToolsIsToldNothingOfTools() {
    reply(
        Scripted.say("Hello."),
        new ModelRequest(null, null, null, List.of(new UserText("hi")), List.of(), true, true));
    var body = fake.asked().getFirst().body();
    assertThat(body.has("tool_choice")).isFalse();
    assertThat(body.has("parallel_tool_calls")).isFalse();
  }

  @Test
  void halfACharacterAndAnOddNameDoNotSpoilARequest() {
    List<ModelMessage> messages =
        List.of(
            new UserText("half \ud83d"),
            new AssistantText(
                null, List.of(new ToolCall("c1", "multi_tool_use.parallel é", "\udc00"))),
            new ToolResult("c1", "\ud83d"),
            new AssistantText(null, List.of(new ToolCall("c2", "x".repeat(100), "{}"))),
            new ToolResult("c2", "?"));
    reply(Scripted.say("Hello."), request(messages, List.of()));
    var sent = fake.asked().getFirst().messages();
    assertThat(sent.getFirst().path("content").asText()).isEqualTo("half ?");
    assertThat(sent.get(1).at("/tool_calls/0/function/name").asText())
        .isEqualTo("multi_tool_use_parallel__");
    assertThat(sent.get(3).at("/tool_calls/0/function/name").asText()).isEqualTo("x".repeat(64));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tool_calls", "stop", "function_call", "something_new"})
  void callsAreCallsWhateverTheReasonForTheEnd(String finish) {
    var reply =
        reply(
            Scripted.textAndCalls("One moment.", new Call("c1", "look", "{ \"a\" : 1 "))
                .finish(finish));
    assertThat(reply)
        .asInstanceOf(type(ModelReply.CallsTools.class))
        .satisfies(calls -> {
          assertThat(calls.text()).isEqualTo("One moment.");
          assertThat(calls.calls()).containsExactly(new ToolCall("c1", "look", "{ \"a\" : 1 "));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n"})
  void aBlankAnswerStaysBlank(String blank) {
    assertThat(((ModelReply.Says) reply(Scripted.say(blank))).text()).isEqualTo(blank);
  }

  @Test
  void anAnswerThatHitTheLimitIsCutOffWithTheCallsItHad() {
    assertThat(reply(Scripted.cutOff("and then")))
        .asInstanceOf(type(ModelReply.CutOff.class))
        .satisfies(cut -> assertThat(cut.text()).isEqualTo("and then"))
        .satisfies(cut -> assertThat(cut.calls()).isEmpty());
    assertThat(reply(Scripted.cutOff(null, new Call("c1", "look", "{\"a"))))
        .asInstanceOf(type(ModelReply.CutOff.class))
        .satisfies(
            cut -> assertThat(cut.calls()).containsExactly(new ToolCall("c1", "look", "{\"a")));
  }

  @Test
  void aFilteredAnswerIsRefusedByTheFilter() {
    assertThat(reply(Scripted.contentFilter()))
        .asInstanceOf(type(ModelReply.Refused.class))
        .satisfies(refused -> assertThat(refused.reason()).isEqualTo("content_filter"));
    assertThat(reply(Scripted.say("half an ans").finish("content_filter")))
        .isInstanceOf(ModelReply.Refused.class);
  }

  @Test
  void aModelThatDeclinesIsQuoted() {
    assertThat(reply(Scripted.refusal("I can't help with that.")))
        .asInstanceOf(type(ModelReply.Refused.class))
        .satisfies(refused -> assertThat(refused.reason()).isEqualTo("I can't help with that."));
    assertThat(reply(Scripted.say("Hi.").edited(c -> Scripted.message(c).put("refusal", ""))))
        .isInstanceOf(ModelReply.Says.class);
  }

  @Test
  void missingBlankRepeatedAndOverlongIdsAreReplacedByUniqueOnes() {
    var calls =
        new Call[] {
          new Call(null, "look", "1"),
          new Call("", "look", "2"),
          new Call("  ", "look", "3"),
          new Call("same", "look", "4"),
          new Call("same", "look", "5"),
          new Call("call_1", "look", "6"),
          new Call("x".repeat(41), "look", "7"),
          new Call("naïve", "look", "8")
        };
    var first = (ModelReply.CallsTools) reply(Scripted.calls(calls));
    assertThat(first.calls().stream().map(ToolCall::id)).doesNotHaveDuplicates().hasSize(8);
    assertThat(first.calls().stream().map(ToolCall::id))
        .allSatisfy(id -> assertThat(id).matches("[!-~]{1,40}"));
    assertThat(first.calls().stream().map(ToolCall::arguments))
        .containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
    assertThat(first.calls().get(3).id()).isEqualTo("same");
    var second = (ModelReply.CallsTools) reply(Scripted.calls(calls));
    assertThat(second.calls()).as("the same answer is read the same").isEqualTo(first.calls());
  }

  @Test
  void anIdOfAnEarlierAnswerIsNotUsedAgain() {
    List<ModelMessage> messages =
        List.of(
            new UserText("hi"),
            new AssistantText(null, List.of(new ToolCall("call_0", "look", "{}"))),
            new ToolResult("call_0", "nothing"));
    var reply =
        (ModelReply.CallsTools)
            reply(Scripted.calls(new Call("call_0", "look", "{}")), request(messages, List.of()));
    assertThat(reply.calls().getFirst().id()).isNotEqualTo("call_0").isNotBlank();
  }

  private static Named<Consumer<ObjectNode>> named(String name, Consumer<ObjectNode> change) {
    return Named.of(name, change);
  }

  static Stream<Named<Consumer<ObjectNode>>> whatServersLeaveOut() {
    return Stream.of(
        named("nothing", c -> {}),
        named("usage", c -> c.remove("usage")),
        named("usage is null", c -> c.putNull("usage")),
        named("model", c -> c.remove("model")),
        named("id and object", c -> c.remove(List.of("id", "object", "created"))),
        named("finish_reason", c -> Scripted.choice(c).remove("finish_reason")),
        named("finish_reason is null", c -> Scripted.choice(c).putNull("finish_reason")),
        named("role and refusal", c -> Scripted.message(c).remove(List.of("role", "refusal"))),
        named("counts are texts", c -> ((ObjectNode) c.path("usage")).put("prompt_tokens", "x")),
        named("an own field", c -> Scripted.message(c).put("reasoning_content", "hm")),
        named("tool_calls is null", c -> Scripted.message(c).putNull("tool_calls")),
        named("tool_calls is empty", c -> Scripted.message(c).putArray("tool_calls")),
        named("index is a text", c -> Scripted.choice(c).put("index", "first")));
  }

  @ParameterizedTest
  @MethodSource("whatServersLeaveOut")
  void whatACompatibleServerLeavesOutIsNoFailure(Consumer<ObjectNode> change) {
    assertThat(reply(Scripted.say("Hello.").edited(change)))
        .asInstanceOf(type(ModelReply.Says.class))
        .satisfies(says -> assertThat(says.text()).isEqualTo("Hello."))
        .satisfies(says -> assertThat(says.receipt().promptTokens()).isIn(0L, 100L));
  }

  @Test
  void textInPartsIsPutTogether() {
    var reply =
        reply(
            Scripted.say("")
                .edited(c -> {
                  var parts = Scripted.message(c).putArray("content");
                  parts.addObject().put("type", "text").put("text", "Hello ");
                  parts.addObject().put("type", "text").put("text", "you.");
                }));
    assertThat(((ModelReply.Says) reply).text()).isEqualTo("Hello you.");
  }

  @Test
  void aCallWithoutTypeOrWithArgumentsAsAnObjectIsACallAllTheSame() {
    var reply =
        (ModelReply.CallsTools)
            reply(
                Scripted.calls(new Call("c1", "look", "{}"), new Call("c2", "look", "{}"))
                    .edited(c -> {
                      var calls = Scripted.message(c).path("tool_calls");
                      ((ObjectNode) calls.path(0)).remove("type");
                      ((ObjectNode) calls.path(1).path("function"))
                          .putObject("arguments")
                          .put("when", "now");
                    }));
    assertThat(reply.calls())
        .containsExactly(
            new ToolCall("c1", "look", "{}"), new ToolCall("c2", "look", "{\"when\":\"now\"}"));
  }

  @Test
  void aCallWithoutNameOrArgumentsHasEmptyOnes() {
    var reply =
        (ModelReply.CallsTools)
            reply(
                Scripted.calls(new Call("c1", "look", "{}"), new Call("c2", "look", "{}"))
                    .edited(c -> {
                      var calls = Scripted.message(c).path("tool_calls");
                      ((ObjectNode) calls.path(0)).remove("function");
                      ((ObjectNode) calls.path(1).path("function"))
                          .putNull("name")
                          .putNull("arguments");
                    }));
    assertThat(reply.calls())
        .containsExactly(new ToolCall("c1", "", ""), new ToolCall("c2", "", ""));
  }

  static Stream<Named<Scripted>> nonsense() {
    return Stream.of(
        Named.of("garbage", Scripted.garbage()),
        Named.of("a page", Scripted.html()),
        Named.of("nothing", Scripted.raw(200, "application/json", "")),
        Named.of("a number", Scripted.raw(200, "application/json", "7")),
        Named.of("null", Scripted.raw(200, "application/json", "null")),
        Named.of("an empty object", Scripted.raw(200, "application/json", "{}")),
        Named.of("half an object", Scripted.raw(200, "application/json", "{\"choices\":[{")),
        Named.of("deep", Scripted.raw(200, "application/json", "[".repeat(5000))),
        Named.of("no choices", Scripted.say("x").edited(c -> c.putArray("choices"))),
        Named.of("choices is a text", Scripted.say("x").edited(c -> c.put("choices", "x"))),
        Named.of("no message", Scripted.say("x").edited(c -> Scripted.choice(c).remove("message"))),
        Named.of("too long", Scripted.say("x".repeat(5 << 20))),
        Named.of(
            "an error with status 200",
            Scripted.raw(200, "application/json", "{\"error\":{\"message\":\"" + TEXT + "\"}}")));
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void anAnswerThatIsNoneIsNotAskedForAgain(Scripted scripted) {
    assertThat(unanswered(scripted).mayHelp()).isEqualTo(MayHelp.ANOTHER_MODEL);
  }

  @ParameterizedTest
  @CsvSource({
    "302, ANOTHER_MODEL, OTHER",
    "400, ANOTHER_MODEL, OTHER",
    "401, NOTHING, KEY_REFUSED",
    "403, ANOTHER_MODEL, OTHER",
    "404, ANOTHER_MODEL, OTHER",
    "408, ASKING_AGAIN, OTHER",
    "409, ASKING_AGAIN, OTHER",
    "413, ANOTHER_MODEL, OTHER",
    "422, ANOTHER_MODEL, OTHER",
    "429, ASKING_AGAIN, TOO_MUCH",
    "500, ASKING_AGAIN, SERVER_BROKEN",
    "503, ASKING_AGAIN, SERVER_BROKEN",
    "529, ASKING_AGAIN, SERVER_BROKEN"
  })
  void eachStatusSaysWhatMayHelp(int status, MayHelp mayHelp, ModelFailure failure) {
    var unanswered = unanswered(Scripted.status(status, Map.of("Location", "http://127.0.0.1:1/")));
    assertThat(unanswered.mayHelp()).isEqualTo(mayHelp);
    assertThat(unanswered.failure()).isEqualTo(failure);
    assertThat(unanswered.reason()).contains(String.valueOf(status));
    assertThat(fake.asked()).as("one attempt is one request").hasSize(1);
  }

  @Test
  void anErrorMayQuoteTheRequestButIsNotRepeated() {
    var quoting = "Invalid content '" + TEXT + "' for key " + SECRET;
    assertThat(unanswered(Scripted.error(400, quoting, TEXT)).reason())
        .isEqualTo("the model's server answered with HTTP status 400");
    assertThat(unanswered(Scripted.raw(500, "text/html", "<p>" + TEXT + "</p>")).reason())
        .isEqualTo("the model's server answered with HTTP status 500");
    var unknown = unanswered(Scripted.error(404, quoting, "model_not_found"));
    assertThat(unknown.reason())
        .isEqualTo("the model's server answered with HTTP status 404 (model_not_found)");
    assertThat(unknown.failure()).isEqualTo(ModelFailure.UNKNOWN_MODEL);
    assertThat(
            unanswered(
                    Scripted.raw(429, "application/json", "{\"error\":{\"code\":{\"odd\":[1]}}}"))
                .mayHelp())
        .isEqualTo(MayHelp.ASKING_AGAIN);
  }

  @Test
  void anAccountWithoutCreditIsNotWaitedFor() {
    var unanswered = unanswered(Scripted.error(429, "no credit", "insufficient_quota"));
    assertThat(unanswered.mayHelp()).isEqualTo(MayHelp.NOTHING);
    assertThat(unanswered.failure()).isEqualTo(ModelFailure.NO_CREDIT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Retry-After    | 3                             | PT3S",
        "Retry-After    | 0.5                           | PT0.5S",
        "Retry-After    | 0                             | PT0S",
        "Retry-After    | Sat, 21 Nov 2026 07:15:05 GMT | PT5S",
        "Retry-After    | Sat, 21 Nov 2026 07:14:00 GMT | PT0S",
        "retry-after-ms | 250                           | PT0.25S",
        "Retry-After    | -1                            |",
        "Retry-After    | NaN                           |",
        "Retry-After    | soon                          |",
      })
  void theWaitAServerAsksForIsRead(String name, String value, Duration expected) {
    assertThat(unanswered(Scripted.status(429, Map.of(name, value))).after())
        .isEqualTo(Optional.ofNullable(expected));
  }

  @Test
  void millisecondsWinOverSeconds() {
    var both = Scripted.status(503, Map.of("Retry-After", "9", "retry-after-ms", "1500"));
    assertThat(unanswered(both).after()).contains(Duration.ofMillis(1500));
  }

  @Test
  void aBrokenConnectionMayWorkTheNextTime() {
    assertThat(unanswered(Scripted.brokenConnection()).mayHelp()).isEqualTo(MayHelp.ASKING_AGAIN);
    assertThat(unanswered(Scripted.closedConnection()).mayHelp()).isEqualTo(MayHelp.ASKING_AGAIN);
    assertThat(fake.asked()).as("the client does not repeat a request by itself").hasSize(2);
  }

  @Test
  void aServerThatIsNotThereMayComeBack() {
    try (var nobody = new Asking("http://127.0.0.1:1/v1")) {
      assertThat(nobody.server().ask(request(), "model-a", LONG_ENOUGH))
          .asInstanceOf(type(Attempt.Unanswered.class))
          .satisfies(none -> assertThat(none.mayHelp()).isEqualTo(MayHelp.ASKING_AGAIN))
          .satisfies(none -> assertThat(none.failure()).isEqualTo(ModelFailure.TOO_LATE))
          .satisfies(none -> assertThat(none.reason()).contains("connection"));
    }
  }

  @Test
  void aServerThatHangsIsLeftAfterTheTimeLimit() {
    fake.then(Scripted.hang());
    var began = System.nanoTime();
    assertThat(asking.server().ask(request(), "model-a", Duration.ofMillis(200)))
        .asInstanceOf(type(Attempt.Unanswered.class))
        .satisfies(late -> assertThat(late.mayHelp()).isEqualTo(MayHelp.ASKING_AGAIN))
        .satisfies(late -> assertThat(late.reason()).contains("in time"));
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isBetween(Duration.ofMillis(190), LONG_ENOUGH);
  }

  @Test
  void aTimeLimitBelowWhatTheClientTakesIsStillALimit() {
    fake.then(Scripted.hang());
    assertThat(asking.server().ask(request(), "model-a", Duration.ofNanos(1)))
        .isInstanceOf(Attempt.Unanswered.class);
  }

  @Test
  void anInterruptedWaitIsToldApart() {
    fake.then(Scripted.hang());
    var attempt = new CompletableFuture<Attempt>();
    var thread = Thread.startVirtualThread(() -> attempt.complete(ask(request())));
    Awaitility.await().until(() -> fake.pending() == 1);
    thread.interrupt();
    assertThat(attempt.join()).isInstanceOf(Attempt.Interrupted.class);
  }

  @Test
  void onlyOpenAiIsToldOfCompletionTokens() {
    assertThat(tokenLimit(Optional.empty())).hasValue("max_completion_tokens");
    assertThat(tokenLimit("https://eu.api.openai.com/v1")).hasValue("max_completion_tokens");
    assertThat(tokenLimit("https://a.openai.azure.com/x")).hasValue("max_completion_tokens");
    assertThat(tokenLimit("https://notopenai.com/v1")).hasValue("max_tokens");
    assertThat(tokenLimit("http://localhost:11434/v1")).hasValue("max_tokens");
  }

  private static Optional<String> tokenLimit(String baseUrl) {
    return tokenLimit(Optional.of(URI.create(baseUrl)));
  }

  private static Optional<String> tokenLimit(Optional<URI> baseUrl) {
    return new Quirks(baseUrl, Set.of()).of("any").tokenLimit();
  }
}
