package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.habitline.llm.openai.Asking.LONG_ENOUGH;
import static org.habitline.llm.openai.Asking.SECRET;
import static org.habitline.llm.openai.Asking.TEXT;
import static org.habitline.llm.openai.Asking.request;
import static org.habitline.llm.openai.Asking.tool;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ChatServer.MayHelp;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.Receipt;
import org.habitline.llm.TextListener;
import org.habitline.llm.openai.Beginnings.Beginning;
import org.habitline.llm.openai.Scripted.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that is heard while it is said comes to the same as one that is read at its end. */
final class StreamingTest {

  private final StrictFakeServer fake = StrictFakeServer.start();
  private final Asking asking = new Asking(fake);
  private final Ear ear = new Ear();

  @AfterEach
  void theVendorsRulesWereKept() {
    asking.close();
    fake.close();
    assertThat(fake.violations()).isEmpty();
  }

  /** Someone who listens. */
  private static final class Ear implements TextListener {
    static final String RESET = "(reset)";
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void text(String piece) {
      assertThat(piece).isNotEmpty();
      heard.add(piece);
    }

    @Override
    public void reset() {
      heard.add(RESET);
    }

    /** What stands since the last reset. */
    String stands() {
      return String.join("", heard.subList(heard.lastIndexOf(RESET) + 1, heard.size()));
    }
  }

  private Attempt streamed() {
    return asking.server().ask(request(), "model-a", LONG_ENOUGH, ear);
  }

  /** Shows that the answers of this model begin with words, so that they are heard at once. */
  private void knowsTheModel() {
    fake.then(Scripted.say("Hello."));
    asking.server().ask(request(), "model-a", LONG_ENOUGH);
  }

  private ModelReply patient(Duration time) {
    return asking.patient("model-b").answer(request(), Deadline.in(time), ear);
  }

  private static Named<Scripted> named(String name, Scripted scripted) {
    return Named.of(name, scripted);
  }

  static Stream<Named<Scripted>> answers() {
    return Stream.of(
        named("a text", Scripted.say("After coffee, walk ten steps.\n\nReady? 🙂 é")),
        named("blank text", Scripted.say("  \n ")),
        named("no text at all", Scripted.say("")),
        named("a call", Scripted.call("look", "{\"a\":1}")),
        named("a call without arguments", Scripted.call("look", "")),
        named(
            "several calls",
            Scripted.calls(
                new Call("c1", "look", "{\"a\":1}"), new Call("c2", "leap", "{\"b\":\"two\"}"))),
        named(
            "calls without ids",
            Scripted.calls(new Call(null, "look", "{}"), new Call(null, "look", "{}"))),
        named(
            "text beside calls",
            Scripted.textAndCalls("Let me save that.", new Call("c1", "look", "{}"))),
        named("a refusal", Scripted.refusal("I cannot help with that.")),
        named("a content filter", Scripted.contentFilter()),
        named("a filter in the middle", Scripted.say("Half a").finish("content_filter")),
        named("cut off text", Scripted.cutOff("This goes on and")),
        named("cut off call", Scripted.cutOff(null, new Call("c1", "look", "{\"a\":"))),
        named("an unknown end", Scripted.say("Hello.").finish("eos")),
        named("data", Scripted.say("{\"reply\":\"hi\"}")),
        named("not json", Scripted.garbage()),
        named("a page", Scripted.html()),
        named("a broken connection", Scripted.brokenConnection()),
        named("a closed connection", Scripted.closedConnection()),
        named("no key", Scripted.error(401, "no", "invalid_api_key")),
        named("too many", Scripted.status(429, "2")),
        named("no credit", Scripted.error(429, "pay", "insufficient_quota")),
        named("no such model", Scripted.error(404, "who?", "model_not_found")),
        named("out of order", Scripted.status(503)));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void whatIsHeardComesToTheSameOutcome(Scripted scripted) {
    fake.then(scripted, scripted);
    var atOnce = asking.server().ask(request(), "model-a", LONG_ENOUGH);
    var streamed = streamed();
    assertThat(timeless(streamed)).isEqualTo(timeless(atOnce));
    assertThat(fake.asked().stream().map(StrictFakeServer.Asked::streams))
        .containsExactly(false, true);
    if (streamed instanceof Attempt.Answered(ModelReply.Says says, _)) {
      assertThat(ear.stands()).isEqualTo(heard(says));
      assertThat(ear.heard).doesNotContain(Ear.RESET);
    }
  }

  @ParameterizedTest
  @MethodSource("answers")
  void whatIsNoTextInTheEndIsTakenBack(Scripted scripted) {
    fake.otherwise(asked -> scripted);
    var reply = patient(Duration.ofMillis(300));
    assertThat(ear.stands()).isEqualTo(reply instanceof ModelReply.Says says ? heard(says) : "");
    if (ear.heard.stream().allMatch(Ear.RESET::equals)) {
      assertThat(ear.heard).isEmpty();
    }
  }

  /** Data is no text for anybody. */
  private static String heard(ModelReply.Says says) {
    return says.text().startsWith("{") ? "" : says.text();
  }

  /** An attempt without the time that it took. */
  private static Object timeless(Attempt attempt) {
    return attempt instanceof Attempt.Answered(ModelReply reply, _)
        ? switch (reply) {
          case ModelReply.Says it -> new ModelReply.Says(it.text(), timeless(it.receipt()));
          case ModelReply.CallsTools it ->
              new ModelReply.CallsTools(it.text(), it.calls(), timeless(it.receipt()));
          case ModelReply.Refused it -> new ModelReply.Refused(it.reason(), timeless(it.receipt()));
          case ModelReply.CutOff it ->
              new ModelReply.CutOff(it.text(), it.calls(), timeless(it.receipt()));
          case ModelReply.Failed it ->
              new ModelReply.Failed(it.failure(), it.reason(), timeless(it.receipt()));
        }
        : attempt;
  }

  private static Receipt timeless(Receipt it) {
    return new Receipt(
        it.modelAsked(),
        it.modelReturned(),
        it.requestId(),
        it.finishReason(),
        it.promptTokens(),
        it.completionTokens(),
        0,
        it.attempts(),
        it.reasoning(),
        it.cachedTokens(),
        it.instead());
  }

  @Test
  void theTextIsHeardBeforeTheAnswerIsWhole() throws Exception {
    knowsTheModel();
    var latch = new CountDownLatch(1);
    fake.then(Scripted.say("one two three four five six").heldMidway(latch));
    var answer = CompletableFuture.supplyAsync(this::streamed);
    Awaitility.await().until(() -> ear.stands().startsWith("one two"));
    assertThat(answer).isNotDone();
    assertThat(ear.stands()).doesNotContain("six");
    latch.countDown();
    assertThat(answer.get()).isInstanceOf(Attempt.Answered.class);
    assertThat(ear.stands()).isEqualTo("one two three four five six");
  }

  private static Scripted thinking(String thought, String words) {
    return Scripted.say(thought + "\n</think>\n\n" + words);
  }

  @Test
  void reasoningThatOnlyItsEndTellsApartIsNeverHeard() throws Exception {
    fake.then(thinking("They are well, I could say hello.", "Well done."));
    assertThat(words()).isEqualTo("Well done.");
    assertThat(String.join("", ear.heard)).isEqualTo("Well done.");
    var latch = new CountDownLatch(1);
    fake.then(thinking("So be it.", "And on you go, ten steps more.").heldMidway(latch));
    var answer = CompletableFuture.supplyAsync(this::streamed);
    Awaitility.await().until(() -> ear.stands().contains("And"));
    assertThat(answer).as("what follows the mark is heard at once").isNotDone();
    latch.countDown();
    answer.get();
    assertThat(String.join("", ear.heard)).isEqualTo("Well done.And on you go, ten steps more.");
  }

  @Test
  void aModelThatThoughtAndShowsNoEndOfItIsNotBelievedTheFirstTime() {
    fake.then(thinking("They are well.", "Well done."));
    streamed();
    fake.then(Scripted.say("They are well."), Scripted.say("Hello."));
    assertThat(words()).isEmpty();
    assertThat(words()).as("perhaps it no longer thinks").isEqualTo("Hello.");
    fake.then(thinking("They are well again.", "Bye."));
    assertThat(words()).isEqualTo("Bye.");
    assertThat(String.join("", ear.heard)).isEqualTo("Well done.Hello.Bye.");
  }

  @Test
  void anAnswerThatWasCutOffShowsNothingOfItsModel() {
    fake.then(Scripted.cutOff("They are well and"), thinking("They are well.", "Well done."));
    streamed();
    streamed();
    assertThat(String.join("", ear.heard)).isEqualTo("Well done.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"beside", "opened"})
  void reasoningThatIsToldApartFromTheStartDelaysNothing(String kind) {
    var never = new CountDownLatch(1);
    var answer = Scripted.say("one two three four five six seven eight nine ten");
    fake.as(kind.equals("beside") ? StandIn.REASONS_BESIDE : StandIn.THINKS_ALOUD)
        .then(answer.heldMidway(never));
    var asked = CompletableFuture.supplyAsync(this::streamed);
    Awaitility.await().until(() -> kind.equals("opened") || ear.stands().startsWith("one"));
    never.countDown();
    asked.join();
    assertThat(ear.stands()).isEqualTo("one two three four five six seven eight nine ten");
    assertThat(String.join("", ear.heard)).doesNotContain("They", Ear.RESET);
  }

  private String words() {
    return ((ModelReply.Says) ((Attempt.Answered) streamed()).reply()).text();
  }

  static Stream<Arguments> markup() {
    return Stream.of(
        Arguments.of("<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nHi", "Hello."),
        Arguments.of("<|START_RESPONSE|>Hello.<|END_RESPONSE|>", "Hello."),
        Arguments.of("Hello.<|some_new_token_12|>", "Hello."),
        Arguments.of("Hello.<｜end▁of▁sentence｜><｜User｜>And I", "Hello."),
        Arguments.of("Hello.<|user|>\nI feel fine", "Hello."),
        Arguments.of("Hello.<end_of_turn>\n<start_of_turn>user\nHi", "Hello."),
        Arguments.of("<seed:think>They are well.</seed:think>Hello.", "Hello."),
        Arguments.of("◁think▷They are well.◁/think▷Hello.", "Hello."),
        Arguments.of("<|START_THINKING|>Well.<|END_THINKING|>Hello.", "Hello."),
        Arguments.of("Hello.\n<function_calls><invoke name=\"x\"></invoke>", "Hello.\n"),
        Arguments.of("Hello.<｜tool▁calls▁begin｜>stray<｜tool▁calls▁end｜>", "Hello."),
        Arguments.of("Hello.<|tool_calls_section_begin|>stray", "Hello."),
        Arguments.of("Hello.<｜DSML｜invoke name=\"x\">y</｜DSML｜invoke>", "Hello."),
        Arguments.of(
            "<minimax:tool_call><invoke name=\"x\">y</invoke></minimax:tool_call>Hi", "Hi"),
        Arguments.of("[TOOL_CALLS]look[ARGS]{}", ""));
  }

  static Stream<Arguments> ordinary() {
    return Stream.of(
            "Try this: [think] of one place. [/think] Done.",
            "I <3 that, a <b and c> d.",
            "Walk | rest | walk: 3 < 5 > 2.",
            "a <| b |> c || d",
            "Press [Enter] or [T], then ◁ or ▷.",
            "Mail me <robin@example.org> at <8 or >9 [ARGS].",
            "if x<y then <")
        .map(text -> Arguments.of(text, text));
  }

  @ParameterizedTest
  @MethodSource({"markup", "ordinary"})
  void markupReachesNobodyAndOrdinarySignsDo(String text, String words) {
    var whole = Spoken.of(text, Beginning.UNKNOWN);
    assertThat(whole.words()).isEqualTo(words);
    var inPieces = new Spoken(Beginning.UNKNOWN);
    text.codePoints().forEach(sign -> inPieces.add(Character.toString(sign)));
    assertThat(whole.words()).startsWith(inPieces.words());
    inPieces.end();
    assertThat(inPieces.words()).isEqualTo(words);
    assertThat(inPieces.hidden()).isEqualTo(whole.hidden());
    assertThat(inPieces.calls()).isEqualTo(whole.calls());
  }

  @Test
  void tokensAreAskedForAndNothingElseChanges() {
    streamed();
    var body = fake.asked().getFirst().body();
    assertThat(body.properties().stream().map(Map.Entry::getKey))
        .containsExactlyInAnyOrder("model", "messages", "stream", "stream_options");
    assertThat(body.at("/stream_options/include_usage").asBoolean()).isTrue();
  }

  @Test
  void textBesideCallsIsTakenBackAsSoonAsACallComes() throws Exception {
    knowsTheModel();
    var latch = new CountDownLatch(1);
    fake.then(
        Scripted.textAndCalls(
                "Saving now",
                new Call("c1", "look", "{\"a\":1}"),
                new Call("c2", "look", "{\"a\":2}"))
            .heldMidway(latch));
    var answer =
        CompletableFuture.supplyAsync(() ->
            asking
                .server()
                .ask(
                    request(List.of(new UserText("hi")), List.of(tool("look"))),
                    "model-a",
                    LONG_ENOUGH,
                    ear));
    Awaitility.await().until(() -> ear.heard.contains(Ear.RESET));
    assertThat(answer).isNotDone();
    latch.countDown();
    assertThat(((Attempt.Answered) answer.get()).reply()).isInstanceOf(ModelReply.CallsTools.class);
    assertThat(ear.heard).containsExactly("Saving ", "now", Ear.RESET);
  }

  @Test
  void aBrokenTryIsTakenBackBeforeTheNextOneIsHeard() {
    knowsTheModel();
    fake.then(Scripted.brokenConnection(), Scripted.say("Hello again."));
    assertThat(patient(LONG_ENOUGH)).isInstanceOf(ModelReply.Says.class);
    assertThat(ear.heard).startsWith("this ").contains(Ear.RESET).endsWith("again.");
    assertThat(ear.stands()).isEqualTo("Hello again.");
  }

  @Test
  void whoeverDoesNotStreamIsAskedPlainly() {
    fake.then(
        Scripted.error(400, "Your organization must be verified to stream this model.", null),
        Scripted.say("Hello."));
    assertThat(((Attempt.Answered) streamed()).reply()).isInstanceOf(ModelReply.Says.class);
    assertThat(ear.heard).containsExactly("Hello.");
    assertThat(fake.asked().getLast().streams()).isFalse();
  }

  @Test
  void aServerThatTakesNoNoticeIsReadAsEver() {
    // The fake cuts into pieces only what it takes for a completion.
    fake.then(Scripted.say("Hello there.").edited(it -> it.put("object", "of another kind")));
    var reply = ((Attempt.Answered) streamed()).reply();
    assertThat(((ModelReply.Says) reply).text()).isEqualTo("Hello there.");
    assertThat(ear.stands()).isEqualTo("Hello there.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"error\":{\"message\":\"scripted\",\"type\":\"server_error\",\"code\":null}}\n\n",
        """
        data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}

        data: {"error":{"message":"scripted","type":"server_error","code":null}}

        """,
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n"
      })
  void anAnswerThatBreaksOffIsAskedForAgain(String stream) {
    fake.then(Scripted.raw(200, "text/event-stream", stream));
    assertThat(unanswered().mayHelp()).isEqualTo(MayHelp.ASKING_AGAIN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: [DONE]\n\n",
        ": nothing\n\n",
        "data: }{ no json\n\n",
        "data: 17\n\n",
        "data: {\"choices\":\"none\"}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":17,\"finish_reason\":9}]}\n\ndata: [DONE]\n\n"
      })
  void whatIsNoCompletionIsAskedOfAnotherModel(String stream) {
    fake.then(Scripted.raw(200, "text/event-stream", stream));
    assertThat(unanswered().mayHelp()).isEqualTo(MayHelp.ANOTHER_MODEL);
  }

  private Attempt.Unanswered unanswered() {
    var unanswered = assertThat(streamed()).asInstanceOf(type(Attempt.Unanswered.class)).actual();
    assertThat(unanswered.reason())
        .doesNotContain(TEXT, SECRET, "{", "<", "scripted")
        .hasSizeLessThan(120);
    return unanswered;
  }

  @Test
  void aStreamThatStallsEndsWithItsTime() {
    var never = new CountDownLatch(1);
    fake.then(Scripted.say("one two three").heldMidway(never));
    var attempt = asking.server().ask(request(), "model-a", Duration.ofMillis(300), ear);
    assertThat(((Attempt.Unanswered) attempt).mayHelp()).isEqualTo(MayHelp.ASKING_AGAIN);
    assertThat(((Attempt.Unanswered) attempt).reason()).contains("in time");
  }

  @Test
  void callsOfServersThatCountOddlyAreToldApart() {
    fake.then(
        Scripted.raw(
            200,
            "text/event-stream",
            """
            data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\\"n\\":1}"}}]}}]}

            data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"leap","arguments":{"n":2}}}]}}]}

            data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

            data: [DONE]

            """));
    var calls = (ModelReply.CallsTools) ((Attempt.Answered) streamed()).reply();
    assertThat(calls.calls().stream().map(call -> call.name() + " " + call.arguments()))
        .containsExactly("look {\"n\":1}", "leap {\"n\":2}");
  }

  @Test
  void anInterruptEndsTheListening() throws Exception {
    knowsTheModel();
    var never = new CountDownLatch(1);
    fake.then(Scripted.say("one two three").heldMidway(never));
    var outcome = new CompletableFuture<Attempt>();
    var thread = Thread.ofVirtual().start(() -> outcome.complete(streamed()));
    Awaitility.await().until(() -> !ear.heard.isEmpty());
    thread.interrupt();
    assertThat(outcome.get()).isInstanceOf(Attempt.Interrupted.class);
  }
}
