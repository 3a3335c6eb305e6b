package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.habitline.RunningLine;
import org.habitline.conversation.FailingTool;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StandIn;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a model answers, the participant gets one true text, and the model is told. */
final class MalformedModelTest {

  private static final int MAX_ITERATIONS = 6;
  private static final String GREETING = "All right.";

  private static RunningLine line;
  private static StrictFakeServer fake;
  private static String fallback;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(MalformedModelTest.class)
            .bean(new FailingTool())
            .flow(yaml ->
                yaml.replace("max_iterations: 10", "max_iterations: " + MAX_ITERATIONS)
                    .replace("flag_for_staff]", "flag_for_staff, failing_tool]"))
            .start();
    fake = line.fake();
    fallback = line.bean(FlowCatalog.class).defaultFlow().texts().errorFallback();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void theVendorsRulesWereKept() {
    var violations = fake.violations();
    fake.forget();
    assertThat(violations).isEmpty();
  }

  /** One text went out after the greeting, it is in the transcript, and nothing waits. */
  private static void saidOnly(Participant participant, String text) {
    assertThat(line.phone(participant)).containsExactly(GREETING, text);
    assertThat(line.transcript(participant))
        .containsExactly("assistant: " + GREETING, "user: hello", "assistant: " + text);
    assertThat(
            line.column(
                "SELECT DISTINCT status FROM inbox WHERE participant_id = ?", participant.id()))
        .containsExactly("done");
  }

  private static void nothingChanged(Participant participant) {
    assertThat(line.data(participant)).isEqualTo(Map.of("conversationState", "INTAKE"));
    assertThat(line.rows("SELECT * FROM profile_change WHERE participant_id = ?", participant.id()))
        .isEmpty();
  }

  private static String profile(Participant participant) {
    return line.data(participant).getOrDefault("userProfile", "");
  }

  /** What the model was told of its calls when it was asked the last time. */
  private static List<String> toolResults() {
    return fake.asked().getLast().texts("tool");
  }

  private static String lastNote() {
    return fake.asked().getLast().texts("system").getLast();
  }

  private static Scripted save(String field, String value) {
    return Scripted.call("save_user_profile", "{\"" + field + "\":\"" + value + "\"}");
  }

  private static Scripted stay() {
    return Scripted.call("transition_state", "{\"target_state\":\"INTAKE\"}");
  }

  @Test
  void anUnknownToolIsAnsweredWithTheNamesThereAre() {
    var robin = line.greeted();
    fake.then(Scripted.call("send_money", "{}"), Scripted.say("Let us talk about walking."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Let us talk about walking.");
    nothingChanged(robin);
    assertThat(toolResults())
        .singleElement()
        .asString()
        .contains(
            "\"status\":\"error\"",
            "transition_state",
            "save_user_profile",
            "generate_habit_prompt",
            "failing_tool");
  }

  @ParameterizedTest
  @ValueSource(strings = {"multi_tool_use.parallel", "", "tool with blanks", "naïve"})
  void aNameThatNoToolCouldHaveDoesNotSpoilTheNextRequest(String name) {
    var robin = line.greeted();
    fake.then(Scripted.call(name, "{}"), Scripted.say("Sorry, go on."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Sorry, go on.");
    assertThat(toolResults()).singleElement().asString().contains("\"status\":\"error\"");
    assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().toolCalls())
        .singleElement()
        .satisfies(call -> assertThat(call.name()).isEqualTo(name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"prompt_anchor\":\"cof",
        "",
        "null",
        "[]",
        "\"coffee\"",
        "{} {}",
        "{\"a\":1,\"a\":2}"
      })
  void argumentsThatAreNoObjectChangeNothing(String arguments) {
    var robin = line.greeted();
    fake.then(Scripted.call("save_user_profile", arguments), Scripted.say("What is your moment?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "What is your moment?");
    nothingChanged(robin);
    assertThat(toolResults())
        .singleElement()
        .asString()
        .contains("\"status\":\"error\"", "one JSON object");
  }

  @Test
  void argumentsOfWrongTypesAreNamedAndChangeNothing() {
    var robin = line.greeted();
    fake.then(
        Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\",\"preferred_time\":9}"),
        Scripted.call("save_user_profile", "{\"intensity\":\"extreme\"}"),
        Scripted.call("transition_state", "{\"target_state\":\"NOWHERE\"}"),
        Scripted.say("When would it suit you?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "When would it suit you?");
    nothingChanged(robin);
    assertThat(toolResults()).hasSize(3).allSatisfy(r -> assertThat(r).contains("error"));
    assertThat(toolResults().get(0)).contains("\"field\":\"preferred_time\"");
    assertThat(toolResults().get(1)).contains("\"field\":\"intensity\"", "low", "normal", "high");
    assertThat(toolResults().get(2)).contains("\"field\":\"target_state\"", "INTAKE", "FEEDBACK");
  }

  @Test
  void oneModelCallLessThanAllowedIsAnOrdinaryTurn() {
    var robin = line.greeted();
    fake.then(differentCalls(MAX_ITERATIONS - 2)).then(Scripted.say("Noted."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Noted.");
    assertThat(fake.asked()).hasSize(MAX_ITERATIONS - 1).noneMatch(Asked::mustSpeak);
  }

  @Test
  void theLastModelCallAllowedMustSpeak() {
    var robin = line.greeted();
    fake.then(differentCalls(MAX_ITERATIONS - 1)).then(Scripted.say("Noted."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Noted.");
    assertThat(fake.asked()).hasSize(MAX_ITERATIONS);
    assertThat(fake.asked().subList(0, MAX_ITERATIONS - 1)).noneMatch(Asked::mustSpeak);
    assertThat(fake.asked().getLast().mustSpeak()).isTrue();
    assertThat(fake.asked().getLast().hasTools()).isTrue();
  }

  @Test
  void aModelThatNeverSpeaksIsNotAskedOnceMoreThanAllowed() {
    var robin = line.greeted();
    fake.then(differentCalls(MAX_ITERATIONS + 1));
    assertThat(line.answered(robin, "hello"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "no_text");
    saidOnly(robin, fallback);
    assertThat(fake.asked()).hasSize(MAX_ITERATIONS);
    assertThat(profile(robin))
        .as("what the model was told is saved, is saved; the call that was too late is not")
        .contains("anchor number " + (MAX_ITERATIONS - 1))
        .doesNotContain("anchor number " + MAX_ITERATIONS);
    var iterations = line.iterations(robin, 2);
    assertThat(iterations.iterations()).hasSize(MAX_ITERATIONS);
    assertThat(iterations.iterations())
        .allSatisfy(iteration -> assertThat(iteration.completedAt()).isNotNull());
    assertThat(iterations.iterations().getLast().toolCalls())
        .singleElement()
        .satisfies(call -> assertThat(String.valueOf(call.result())).contains("did not run"));
  }

  private static Scripted[] differentCalls(int howMany) {
    var calls = new ArrayList<Scripted>();
    for (int n = 1; n <= howMany; n++) {
      calls.add(save("prompt_anchor", "anchor number " + n));
    }
    return calls.toArray(Scripted[]::new);
  }

  @Test
  void theSameCallIsRefusedTheThirdTime() {
    var robin = line.greeted();
    fake.then(
        stay(),
        Scripted.call("transition_state", "{ \"target_state\" : \"INTAKE\" }"),
        stay(),
        Scripted.say("Where were we?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Where were we?");
    assertThat(toolResults()).hasSize(3);
    assertThat(toolResults().subList(0, 2)).allSatisfy(r -> assertThat(r).contains("noop"));
    assertThat(toolResults().get(2)).contains("\"status\":\"error\"", "twice in this turn");
  }

  @Test
  void theSameCallIsAllowedAgainAfterSomethingChanged() {
    var robin = line.greeted();
    fake.then(
        stay(), stay(), save("prompt_anchor", "coffee"), stay(), Scripted.say("Where were we?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Where were we?");
    assertThat(toolResults()).hasSize(4);
    assertThat(toolResults().get(3)).contains("noop");
  }

  @Test
  void identicalCallsInOneAnswerShareOneResult() {
    var robin = line.greeted();
    var tea = "{\"prompt_anchor\":\"tea\"}";
    fake.then(
        Scripted.calls(
            new Call("a", "save_user_profile", tea),
            new Call("b", "save_user_profile", tea),
            new Call("c", "save_user_profile", tea)),
        Scripted.say("Tea it is."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Tea it is.");
    assertThat(toolResults()).hasSize(3).allSatisfy(r -> assertThat(r).contains("success"));
    assertThat(line.rows("SELECT * FROM profile_change WHERE participant_id = ?", robin.id()))
        .hasSize(1);
  }

  @Test
  void anIdenticalCallInOneAnswerRunsAgainWhenAnEffectLiesBetween() {
    var robin = line.greeted();
    var tea = "{\"prompt_anchor\":\"tea\"}";
    fake.then(
        Scripted.calls(
            new Call("a", "save_user_profile", tea),
            new Call("b", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
            new Call("c", "save_user_profile", tea)),
        Scripted.say("Tea it is."));
    line.answered(robin, "hello");
    assertThat(profile(robin)).contains("tea").doesNotContain("coffee");
    assertThat(
            line.column(
                "SELECT new_value FROM profile_change WHERE participant_id = ? ORDER BY seq",
                robin.id()))
        .containsExactly("\"tea\"", "\"coffee\"", "\"tea\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n\t ", "\u00a0", "\u200b\u2060\ufeff", "\u0000"})
  void anEmptyAnswerIsNoTextMessage(String nothing) {
    var robin = line.greeted();
    fake.then(Scripted.say(nothing), Scripted.say("Hello again."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Hello again.");
    assertThat(lastNote()).contains("empty");
  }

  @ParameterizedTest
  @EnumSource(
      value = StandIn.class,
      names = {
        "CALLS_AS_TEXT",
        "CALLS_AS_DATA",
        "CALLS_BEHIND_WORDS",
        "CALLS_AS_PYTHON",
        "CALLS_AS_A_LIST",
        "CALLS_AS_TAGS",
        "CALLS_AS_KEYS",
        "HARMONY",
        "DEEPSEEK_UNREAD",
        "KIMI_UNREAD",
        "COHERE_UNREAD",
        "SEED_UNREAD",
        "GEMMA_UNREAD"
      })
  void aCallThatTheServerLeftInTheTextIsMadeAndNotSent(StandIn server) {
    var robin = line.greeted();
    fake.as(server).then(save("prompt_anchor", "coffee"), Scripted.say("Coffee it is."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Coffee it is.");
    assertThat(profile(robin)).contains("coffee");
    var call = line.iterations(robin, 2).iterations().getFirst().toolCalls().getFirst();
    assertThat(call.name()).isEqualTo("save_user_profile");
    assertThat(String.valueOf(call.result())).contains("success");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<tool_call>{\"name\": \"save_user_pro</tool_call>",
        "<tool_call>{\"name\": \"no_such_tool\", \"arguments\": {}}</tool_call>",
        "[TOOL_CALLS] save the coffee",
        "[no_such_tool(a=1, b='it\\'s')]",
        "<|channel|>commentary to=functions.save_user_profile<|message|>coffee<|call|>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.save_user_profile:0",
        "<function_calls><invoke name=\"save_user_profile\">coffee</invoke></function_calls>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>save_user_profile<｜tool▁sep｜>{\"prompt_a",
        "<|START_ACTION|>[{]<|END_ACTION|>",
        "<think>They are well.",
        "They are well.</think>"
      })
  void markupWithoutWordsIsNoTextMessage(String markup) {
    var robin = line.greeted();
    fake.then(Scripted.say(markup), Scripted.say("Hello again."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Hello again.");
    assertThat(lastNote()).contains("empty");
    nothingChanged(robin);
  }

  @ParameterizedTest
  @EnumSource(
      value = StandIn.class,
      names = {
        "THINKS_ALOUD",
        "THINKS_FROM_THE_START",
        "HARMONY",
        "REASONS_BESIDE",
        "REASONS_IN_PARTS",
        "DEEPSEEK_UNREAD",
        "KIMI_UNREAD",
        "COHERE_UNREAD",
        "SEED_UNREAD",
        "GEMMA_UNREAD"
      })
  void whatAModelThinksIsRecordedAndReachesNobody(StandIn server) {
    var robin = line.greeted();
    fake.as(server).then(Scripted.say("Well done."));
    line.answered(robin, "hello");
    saidOnly(robin, "Well done.");
    line.answered(robin, "and again");
    assertThat(fake.asked().getLast().body().toString()).doesNotContain("They are well.");
    assertThat(
            String.valueOf(
                line.iterations(robin, 2).iterations().getFirst().metadata().get("receipt")))
        .contains("They are well.");
    assertThat(line.rows("SELECT content FROM message WHERE content LIKE '%They are well%'"))
        .isEmpty();
  }

  @Test
  void brokenArgumentsAreShownAgainAsNoneAndKeptAsTheyWere() {
    var robin = line.greeted();
    var broken = "{\"prompt_anchor\": coffee";
    fake.as(StandIn.BROKEN_ARGUMENTS_REFUSED)
        .then(Scripted.call("save_user_profile", broken), Scripted.say("Say that again?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Say that again?");
    assertThat(fake.refused()).isEmpty();
    var call = line.iterations(robin, 2).iterations().getFirst().toolCalls().getFirst();
    assertThat(call.arguments().textValue()).isEqualTo(broken);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"reply\":\"Hello\"}",
        " [{\"name\":\"no_such_tool\",\"arguments\":{}}] ",
        "```json\n{\"reply\":\"Hello\"}\n```",
        "```\n[1,2]\n```"
      })
  void dataIsNoTextMessage(String data) {
    var robin = line.greeted();
    fake.then(Scripted.say(data), Scripted.say("Hello again."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Hello again.");
    assertThat(lastNote()).contains("data, not words");
    assertThat(fake.asked().getLast().texts("assistant")).contains(data.strip());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[smiles] Hello.",
        "{coffee} or {tea}?",
        "12",
        "Say {\"hi\": 1} or `tea`.",
        "[walk (slowly)]"
      })
  void wordsThatOnlyLookLikeDataGoOut(String words) {
    var robin = line.greeted();
    fake.then(Scripted.say(words));
    line.answered(robin, "hello");
    saidOnly(robin, words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Hello. {\"name\": \"no_such_tool\", \"arguments\": {\"a\": {}}}",
        "[{\"name\":\"no_such_tool\",\"parameters\":{}}]\n\nHello.",
        "Hello.\n```json\n{\"function\":{\"name\":\"no_such_tool\",\"arguments\":\"{}\"}}\n```"
      })
  void aCallOfNoToolIsCutOutOfTheWords(String text) {
    var robin = line.greeted();
    fake.then(Scripted.say(text));
    line.answered(robin, "hello");
    saidOnly(robin, "Hello.");
  }

  @Test
  void aModelThatOnlyEverSaysNothingEndsInTheFlowsText() {
    var robin = line.greeted();
    fake.then(Collections.nCopies(MAX_ITERATIONS + 1, Scripted.say(" ")).toArray(Scripted[]::new));
    assertThat(line.answered(robin, "hello"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "no_text");
    saidOnly(robin, fallback);
    assertThat(fake.asked()).hasSize(MAX_ITERATIONS);
  }

  @Test
  void anAnswerTooLongForAnyPhoneIsAskedForAgain() {
    var robin = line.greeted();
    var longest = "a".repeat(ToolLoop.LONGEST_REPLY - 1);
    fake.then(Scripted.say(longest + "\ud83d\ude00 and on"), Scripted.say("Short now."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Short now.");
    assertThat(lastNote()).contains("too long");
  }

  @Test
  void theLongestAnswerGoesOutWhole() {
    var robin = line.greeted();
    var longest = "a".repeat(ToolLoop.LONGEST_REPLY);
    fake.then(Scripted.say(longest));
    line.answered(robin, "hello");
    saidOnly(robin, longest);
  }

  @Test
  void aRefusalIsATurnOfItsOwnKind() {
    var robin = line.greeted();
    fake.then(save("prompt_anchor", "coffee"), Scripted.refusal("I can't help with that."));
    assertThat(line.answered(robin, "hello"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "refused");
    saidOnly(robin, fallback);
    assertThat(profile(robin)).contains("coffee");
    assertThat(fake.asked()).hasSize(2);
  }

  @Test
  void anAnswerTakenAwayByAContentFilterIsATurnOfItsOwnKind() {
    var robin = line.greeted();
    fake.then(Scripted.contentFilter());
    assertThat(line.answered(robin, "hello"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "content_filtered");
    saidOnly(robin, fallback);
    nothingChanged(robin);
  }

  @Test
  void callsOfAnAnswerThatWasCutOffDoNotRun() {
    var robin = line.greeted();
    fake.then(
        Scripted.cutOff(
            "Saving",
            new Call("a", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
            new Call("b", "save_user_profile", "{\"prompt_anc")),
        Scripted.say("What is your moment?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "What is your moment?");
    nothingChanged(robin);
    assertThat(toolResults())
        .hasSize(2)
        .allSatisfy(r -> assertThat(r).contains("\"status\":\"error\"", "cut off", "did not run"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"So the next thing we should", "half an emoji \ud83d", ""})
  void aTextThatWasCutOffIsAskedForAgain(String text) {
    var robin = line.greeted();
    fake.then(Scripted.cutOff(text), Scripted.say("Shall we walk?"));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Shall we walk?");
    assertThat(lastNote()).contains("cut off");
  }

  @Test
  void halfACharacterInACallDoesNotSpoilTheNextRequest() {
    var robin = line.greeted();
    fake.then(
        Scripted.textAndCalls(
            "Well \ud83d",
            new Call("a", "save_user_profile", "{\"prompt_anchor\":\"coffee \ud83d\"}")),
        Scripted.say("Noted."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Noted.");
    assertThat(profile(robin)).contains("coffee");
  }

  @Test
  void textBesideCallsNeitherEndsTheTurnNorGoesOut() {
    var robin = line.greeted();
    fake.then(
        Scripted.textAndCalls(
            "I have saved it!",
            new Call("a", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}")),
        Scripted.say("Coffee it is."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Coffee it is.");
    assertThat(profile(robin)).contains("coffee");
    var shown = fake.asked().getLast().messages();
    assertThat(shown.get(shown.size() - 2).path("content").asText()).isEqualTo("I have saved it!");
    assertThat(shown.get(shown.size() - 2).path("tool_calls")).hasSize(1);
  }

  @Test
  void severalCallsInOneAnswerRunInOrderAndEachHasItsResult() {
    var robin = line.greeted();
    fake.then(
        Scripted.calls(
            new Call("x", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
            new Call("y", "send_money", "{}"),
            new Call("z", "save_user_profile", "{\"preferred_time\":\"8:15\"}")),
        Scripted.say("Noted."));
    line.answered(robin, "hello");
    saidOnly(robin, "Noted.");
    var results =
        fake.asked().getLast().messages().stream()
            .filter(message -> message.path("role").asText().equals("tool"))
            .toList();
    assertThat(results)
        .extracting(r -> r.path("tool_call_id").asText())
        .containsExactly("x", "y", "z");
    assertThat(results.get(0).path("content").asText()).contains("success", "preferred_time");
    assertThat(results.get(1).path("content").asText()).contains("error");
    assertThat(results.get(2).path("content").asText())
        .as("the second save sees what the first asked for")
        .contains("\"missing_for_prompt\":[]");
    assertThat(profile(robin)).contains("coffee", "8:15");
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "", "null"})
  void callIdsThatARepeatedOrMissingAreRepaired(String id) {
    var robin = line.greeted();
    var given = id.equals("null") ? null : id;
    fake.then(
        Scripted.calls(
            new Call(given, "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
            new Call(given, "save_user_profile", "{\"preferred_time\":\"8:15\"}")),
        Scripted.say("Noted."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "Noted.");
    assertThat(profile(robin)).contains("coffee", "8:15");
    assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().toolCalls())
        .extracting(IterationContext.ToolCallRecord::id)
        .doesNotHaveDuplicates();
  }

  @Test
  void theFirstTransitionOfATurnWins() {
    var robin = line.greeted();
    fake.then(
        Scripted.call("transition_state", "{\"target_state\":\"FEEDBACK\"}"),
        Scripted.call("transition_state", "{\"target_state\":\"INTAKE\"}"),
        Scripted.say("See you."));
    line.answered(robin, "hello");
    saidOnly(robin, "See you.");
    assertThat(line.data(robin)).containsEntry("conversationState", "FEEDBACK");
    assertThat(line.turn(robin, 2).orElseThrow())
        .as("the move holds from the next turn on")
        .containsEntry("module", "INTAKE");
    assertThat(toolResults().get(0)).contains("success");
    assertThat(toolResults().get(1)).contains("error", "only the first move of a turn counts");
    assertThat(line.answered(robin, "and now?")).containsEntry("module", "FEEDBACK");
    assertThat(fake.asked().getLast().texts("system"))
        .anyMatch(text -> text.contains("Module: FEEDBACK"));
  }

  @Test
  void aToolThatBreaksIsAnErrorForTheModelAndNoClaim() {
    var robin = line.greeted();
    fake.then(Scripted.call(FailingTool.NAME, "{}"), Scripted.say("That did not work."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "That did not work.");
    nothingChanged(robin);
    assertThat(toolResults())
        .containsExactly(
            "{\"status\":\"error\",\"message\":\"The tool failed; nothing was changed.\"}");
  }

  @Test
  void aGeneratorThatDeclinesIsAnErrorForTheModel() {
    var robin = line.greeted();
    fake.then(
        Scripted.calls(
            new Call("a", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
            new Call("b", "save_user_profile", "{\"preferred_time\":\"8:15\"}"),
            new Call("c", "generate_habit_prompt", "{\"delivery_mode\":\"immediate\"}")),
        Scripted.refusal("no"),
        Scripted.say("It did not work this time."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    saidOnly(robin, "It did not work this time.");
    assertThat(line.data(robin)).doesNotContainKey("lastHabitPrompt");
    assertThat(toolResults().getLast()).contains("\"status\":\"error\"", "declined");
  }

  @Test
  void theModelThatAnsweredIsRecordedBesideTheOneAsked() {
    var robin = line.greeted();
    fake.then(Scripted.say("Hello.").by("another-model-2027"));
    line.answered(robin, "hello");
    var metadata = line.iterations(robin, 2).iteration(1).orElseThrow().metadata();
    assertThat(metadata.get("receipt"))
        .hasFieldOrPropertyWithValue("model_asked", "gpt-4.1-mini")
        .hasFieldOrPropertyWithValue("model_returned", "another-model-2027")
        .hasFieldOrPropertyWithValue("request_id", "req_fake")
        .hasFieldOrPropertyWithValue("prompt_tokens", 100)
        .hasFieldOrPropertyWithValue("completion_tokens", 10)
        .hasFieldOrPropertyWithValue("finish_reason", "stop");
  }
}
