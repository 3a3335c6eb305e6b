package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.habitline.llm.openai.Asking.tool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.habitline.Patience;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.ToolResult;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.llm.TextListener;
import org.habitline.llm.ToolCall;
import org.habitline.llm.openai.Scripted.Call;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are not OpenAI's, each played a turn with a tool call over real HTTP. */
final class ModelServersTest {

  private static final Duration TIME = Patience.LONG;
  private static final String REPLY = "Well done.";

  /** What each quirk teaches, streamed, in the words of health. */
  private static final Map<StandIn, String> LEARNT =
      Map.of(
          StandIn.ALTERNATING_ROLES, "alternating-roles",
          StandIn.NO_PARALLEL_PARAMETER, "no-parallel-tool-calls",
          StandIn.NO_TEMPERATURE, "no-temperature",
          StandIn.NO_MAX_TOKENS, "no-max-tokens",
          StandIn.NO_TOOL_CHOICE_NONE, "no-tool-choice",
          StandIn.NO_TOOL_CHOICE_AND_TOOLS_ALWAYS, "no-tool-choice, tools-always",
          StandIn.NO_USAGE, "no-stream-options",
          StandIn.NO_STREAMING, "no-streaming");

  private static final Set<StandIn> ONLY_STREAMED = Set.of(StandIn.NO_USAGE, StandIn.NO_STREAMING);

  /** Keeps what stands of what it heard, and all that it ever heard. */
  private static final class Ear implements TextListener {
    private final StringBuilder stands = new StringBuilder();
    private final StringBuilder ever = new StringBuilder();

    @Override
    public void text(String piece) {
      stands.append(piece);
      ever.append(piece);
    }

    @Override
    public void reset() {
      stands.setLength(0);
    }
  }

  /** One turn: a call, its result, and words that may not be a call. */
  private static final class Played {
    private final Ear ear = new Ear();
    private final ModelReply.CallsTools first;
    private final ModelReply.Says last;

    Played(LanguageModel model, boolean streamed) {
      var messages =
          new ArrayList<ModelMessage>(
              List.of(
                  new SystemText("You coach."),
                  Section.STATUS.holding("Module: INTAKE"),
                  new AssistantText("Hello!", List.of()),
                  new AssistantText("Your nudge: walk.", List.of()),
                  new UserText("hi"),
                  new UserText("it went well")));
      first =
          assertThat(ask(model, request(messages, false), streamed))
              .asInstanceOf(type(ModelReply.CallsTools.class))
              .actual();
      assertThat(ear.stands).as("a call is no text").isEmpty();
      messages.add(new AssistantText(first.text(), first.calls()));
      messages.add(new ToolResult(first.calls().getFirst().id(), "{\"status\":\"success\"}"));
      messages.add(Section.NOTE.holding("Be brief."));
      last =
          assertThat(ask(model, request(messages, true), streamed))
              .asInstanceOf(type(ModelReply.Says.class))
              .actual();
      if (streamed) {
        assertThat(ear.stands).hasToString(last.text());
        assertThat(ear.ever.toString())
            .doesNotContain(
                "{", "|", "｜", "think", "arguments", "TOOL_CALLS", "tool_call", "invoke")
            .doesNotContain("They are well", "I could say", "I must look");
      }
    }

    private ModelReply ask(LanguageModel model, ModelRequest request, boolean streamed) {
      return streamed
          ? model.answer(request, Deadline.in(TIME), ear)
          : model.answer(request, Deadline.in(TIME));
    }

    private static ModelRequest request(List<ModelMessage> messages, boolean mustSpeak) {
      return new ModelRequest(
          null, 0.5, 300, List.copyOf(messages), List.of(tool("look")), mustSpeak, false);
    }
  }

  private static void scriptATurn(StrictFakeServer fake, String arguments) {
    fake.otherwise(asked ->
        asked.toolResults() > 0
            ? Scripted.say(REPLY)
            : Scripted.calls(new Call("c1", "look", arguments)));
  }

  static Stream<Arguments> servers() {
    return Stream.of(StandIn.values())
        .filter(server -> server != StandIn.SLOW_FIRST_TOKEN)
        .flatMap(server -> Stream.of(false, true).map(streamed -> Arguments.of(server, streamed)));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aTurnIsPlayed(StandIn server, boolean streamed) {
    var broken = server == StandIn.BROKEN_ARGUMENTS_REFUSED;
    var arguments = broken ? "{\"when\": now" : "{\"when\":\"now\"}";
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      scriptATurn(fake.as(server), arguments);
      var model = asking.patient(null, TIME);
      var learns = LEARNT.containsKey(server) && (streamed || !ONLY_STREAMED.contains(server));
      for (int turn = 1; turn <= 2; turn++) {
        var played = new Played(model, streamed);
        assertThat(played.first.calls().getFirst().name()).isEqualTo("look");
        assertThat(played.first.calls().getFirst().arguments().replace(" ", ""))
            .as("what the model wrote is kept as it wrote it")
            .isEqualTo(arguments.replace(" ", ""));
        assertThat(played.last.text()).isEqualTo(REPLY);
        assertThat(played.last.receipt().attempts()).as("adapting is no failure").isEqualTo(1);
        if (turn == 1) {
          assertThat(fake.refused().isEmpty()).isEqualTo(!learns);
        }
        thought(server, played.last);
      }
      var most = learns ? words(server).split(",").length : 0;
      assertThat(fake.refused())
          .as("learnt once, for good")
          .hasSize(learns && server == StandIn.NO_STREAMING ? 2 : most);
      assertThat(model.adapted().orElse(""))
          .isEqualTo(learns ? "learnt for model-a: " + words(server) : "");
      assertThat(fake.violations()).isEmpty();
    }
  }

  private static String words(StandIn server) {
    return LEARNT.getOrDefault(server, "");
  }

  private static void thought(StandIn server, ModelReply.Says last) {
    switch (server) {
      case HARMONY,
          THINKS_ALOUD,
          THINKS_FROM_THE_START,
          DEEPSEEK_UNREAD,
          KIMI_UNREAD,
          COHERE_UNREAD,
          SEED_UNREAD,
          GEMMA_UNREAD,
          REASONS_IN_PARTS,
          REASONS_BESIDE ->
          assertThat(last.receipt().reasoning())
              .as("what it thought is recorded")
              .contains("They are well.")
              .doesNotContain("<", "|", "▷");
      default -> assertThat(last.receipt().reasoning()).isNull();
    }
  }

  @Test
  void aServerThatNeedsTwelveSecondsIsWaitedForWhetherItStreamsOrNot() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      fake.as(StandIn.SLOW_FIRST_TOKEN);
      scriptATurn(fake, "{\"when\":\"now\"}");
      var model = asking.patient(null, TIME);
      Stream.of(false, true)
          .map(
              streamed -> CompletableFuture.supplyAsync(() -> new Played(model, streamed), threads))
          .toList()
          .forEach(turn -> {
            var played = turn.join();
            assertThat(played.first.receipt().attempts()).isEqualTo(1);
            assertThat(played.first.receipt().latencyMillis()).isGreaterThanOrEqualTo(12_000);
            assertThat(played.last.text()).isEqualTo(REPLY);
          });
      assertThat(fake.asked()).as("nothing is asked for, and paid for, twice").hasSize(4);
    }
  }

  @Test
  void oneServerMayHaveManyQuirksAndEachIsLearntOnce() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      scriptATurn(
          fake.as(
              StandIn.STRICT_FIRST_SYSTEM,
              StandIn.ALTERNATING_ROLES,
              StandIn.NO_PARALLEL_PARAMETER,
              StandIn.NO_TEMPERATURE,
              StandIn.NO_MAX_TOKENS,
              StandIn.NO_USAGE,
              StandIn.THINKS_ALOUD),
          "{\"when\":\"now\"}");
      var model = asking.patient(null, TIME);
      assertThat(new Played(model, true).last.text()).isEqualTo(REPLY);
      assertThat(fake.refused()).hasSize(5);
      assertThat(new Played(model, true).last.text()).isEqualTo(REPLY);
      assertThat(fake.refused()).hasSize(5);
      assertThat(fake.asked().getLast().body().path("max_completion_tokens").asInt())
          .isEqualTo(300);
    }
  }

  @Test
  void manyTurnsThatMeetAQuirkAtOnceAllGetTheirAnswer() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      scriptATurn(fake.as(StandIn.NO_PARALLEL_PARAMETER), "{\"when\":\"now\"}");
      var model = asking.patient(null, TIME);
      Stream.generate(() -> CompletableFuture.supplyAsync(() -> new Played(model, false), threads))
          .limit(20)
          .toList()
          .forEach(turn -> assertThat(turn.join().first.receipt().attempts()).isEqualTo(1));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StandIn.class,
      names = {
        "ALTERNATING_ROLES",
        "NO_PARALLEL_PARAMETER",
        "NO_TEMPERATURE",
        "NO_MAX_TOKENS",
        "NO_TOOL_CHOICE_AND_TOOLS_ALWAYS",
        "NO_USAGE",
        "NO_STREAMING"
      })
  void whatTheSettingsSayNeedsNoLesson(StandIn server) {
    var quirks = ModelQuirk.read(words(server)).orElseThrow();
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake.baseUrl(), null, quirks)) {
      scriptATurn(fake.as(server), "{\"when\":\"now\"}");
      var model = asking.patient(null, TIME);
      assertThat(new Played(model, true).last.text()).isEqualTo(REPLY);
      assertThat(fake.refused()).isEmpty();
      assertThat(model.adapted()).contains("set for every model: " + words(server));
    }
  }

  @Test
  void aComplaintAboutAValueTeachesNothing() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      fake.otherwise(asked ->
          Scripted.error(400, "max_tokens is too large: 300. At most 200 are supported.", null));
      var model = asking.patient(null, TIME);
      var reply =
          model.answer(
              Played.request(List.of(new UserText("my temperature is 39")), false),
              Deadline.in(TIME));
      assertThat(reply).isInstanceOf(ModelReply.Failed.class);
      assertThat(model.adapted()).isEmpty();
      assertThat(fake.asked()).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "The prompt is too long. Lower the temperature of the room.",
        "Content was blocked: my temperature is 39 and parallel tool calls scare me.",
        "This model streams tools, stream and all, through tool_choice."
      })
  void anErrorThatOnlyMentionsAParameterTeachesNothing(String sentence) {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      fake.otherwise(asked -> Scripted.error(400, sentence, null));
      var model = asking.patient(null, TIME);
      var request = Played.request(List.of(new UserText("my temperature is 39")), false);
      assertThat(model.answer(request, Deadline.in(TIME))).isInstanceOf(ModelReply.Failed.class);
      assertThat(fake.asked()).hasSize(1);
      assertThat(model.adapted()).isEmpty();
    }
  }

  @Test
  void whatDidNotHelpIsNotRemembered() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      var refusal = "Invalid content: 'my temperature is 39' is not allowed.";
      fake.otherwise(asked -> Scripted.error(400, refusal, null));
      var model = asking.patient(null, TIME);
      var request = Played.request(List.of(new UserText("my temperature is 39")), false);
      assertThat(model.answer(request, Deadline.in(TIME))).isInstanceOf(ModelReply.Failed.class);
      assertThat(model.answer(request, Deadline.in(TIME), new Ear()))
          .isInstanceOf(ModelReply.Failed.class);
      assertThat(model.adapted()).isEmpty();
      fake.otherwise(asked -> Scripted.say(REPLY));
      model.answer(request, Deadline.in(TIME));
      assertThat(fake.asked().getLast().body().path("temperature").asDouble()).isEqualTo(0.5);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'error':{'message':'Unrecognized request argument supplied: parallel_tool_calls'}}",
        "{'error':{'message':'This model does not support parallel tool calls.','code':400}}",
        "{'error':{'message':'No.','param':'parallel_tool_calls'}}",
        "{'error':{'message':'No.','code':'parallel_tool_calls'}}",
        "{'object':'error','message':'[{\\u0027type\\u0027: \\u0027extra_forbidden\\u0027, \\u0027loc\\u0027: (\\u0027body\\u0027, \\u0027parallel_tool_calls\\u0027)}]'}",
        "{'detail':[{'loc':['body','parallel_tool_calls'],'msg':'Extra inputs are not permitted'}]}",
        "{'message':{'detail':[{'loc':['body','parallel_tool_calls'],'msg':'No.'}]}}",
        "{'error':'unknown field `parallel_tool_calls`, expected one of `messages`'}"
      })
  void everyServerRefusesInItsOwnWords(String body) {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      fake.otherwise(asked ->
          asked.body().has("parallel_tool_calls")
              ? Scripted.raw(400, "application/json", body.replace('\'', '"'))
              : Scripted.say(REPLY));
      var model = asking.patient(null, TIME);
      var request = Played.request(List.of(new UserText("hi")), false);
      assertThat(model.answer(request, Deadline.in(TIME))).isInstanceOf(ModelReply.Says.class);
      assertThat(model.adapted()).contains("learnt for model-a: no-parallel-tool-calls");
    }
  }

  @Test
  void oneFailureToStreamIsNoLesson() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      var model = asking.patient(null, TIME);
      var request = Played.request(List.of(new UserText("hi")), false);
      for (int i = 0; i < 3; i++) {
        fake.then(Scripted.error(400, "Bad luck.", null), Scripted.say(REPLY), Scripted.say(REPLY));
        model.answer(request, Deadline.in(TIME), new Ear());
        model.answer(request, Deadline.in(TIME), new Ear());
        assertThat(fake.asked().getLast().streams()).isTrue();
      }
      assertThat(model.adapted()).isEmpty();
    }
  }

  @Test
  void theLineSpeaksOnceAndFirstAndAnAnswerAlwaysAnswersSomething() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      var calls = List.of(new ToolCall("c1", "look", "{}"));
      var joined = Section.EVENT.holding("They joined.");
      Map<List<ModelMessage>, List<String>> sent =
          Map.of(
              List.of(new SystemText("You coach."), joined),
              List.of(
                  "system: You coach.\n\n# What just happened\nThey joined.", "user: (continue)"),
              List.of(joined, new AssistantText("Hi.", List.of())),
              List.of(
                  "system: # What just happened\nThey joined.",
                  "assistant: Hi.",
                  "user: (continue)"),
              List.of(
                  joined,
                  new AssistantText("Hi.", List.of()),
                  new AssistantText(null, calls),
                  new ToolResult("c1", "done")),
              List.of(
                  "system: # What just happened\nThey joined.",
                  "assistant: Hi.",
                  "user: (continue)",
                  "assistant: ",
                  "tool: done"),
              List.of(new UserText("# What just happened\nThey joined."), new UserText("two")),
              List.of("user: # What just happened\nThey joined.", "user: two"));
      sent.forEach((messages, expected) -> {
        asking.server().ask(Asking.request(messages, List.of()), "model-a", TIME);
        assertThat(
                fake.asked().getLast().messages().stream()
                    .map(message ->
                        message.path("role").asText() + ": " + message.path("content").asText("")))
            .containsExactlyElementsOf(expected);
      });
      assertThat(fake.violations()).isEmpty();
    }
  }

  @Test
  void azureIsAskedAtTheDeploymentsAddressWithItsOwnHeader() {
    try (var fake = StrictFakeServer.start();
        var azure = new Asking(fake.baseUrl().replace("/v1", ""), "2024-10-21", Set.of())) {
      scriptATurn(fake, "{\"when\":\"now\"}");
      assertThat(new Played(azure.patient(null, TIME), true).last.text()).isEqualTo(REPLY);
      assertThat(new Played(azure.patient(null, TIME), false).last.text()).isEqualTo(REPLY);
      assertThat(fake.asked())
          .hasSize(4)
          .allSatisfy(asked -> {
            assertThat(asked.target())
                .isEqualTo("/openai/deployments/model-a/chat/completions?api-version=2024-10-21");
            assertThat(asked.apiKey()).isEqualTo(Asking.SECRET);
            assertThat(asked.authorization()).isEmpty();
          });
      assertThat(fake.violations()).isEmpty();
    }
  }
}
