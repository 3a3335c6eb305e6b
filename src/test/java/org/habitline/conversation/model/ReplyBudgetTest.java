package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.habitline.Patience;
import org.habitline.RunningLine;
import org.habitline.conversation.ConversationFlow;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.habitline.messaging.outbox.SmsSplitter;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A reply by SMS that would take too many segments is asked for once more, shorter. */
final class ReplyBudgetTest {

  private static final String BUDGET = "reply.segments-at-most";

  /** The longest reply in two segments. */
  private static final String FITS = words(306);

  private static final String LONG = words(500);
  private static final String LONGER = words(700);
  private static final String SHORT = "One minute, after the coffee.";

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(ReplyBudgetTest.class, setup -> setup.with(BUDGET, "2"));
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  @AfterEach
  void theVendorsRulesWereKept() {
    assertThat(day.fake().violations()).isEmpty();
  }

  private static String words(int length) {
    return "walk a minute ".repeat(length).substring(0, length - 1) + ".";
  }

  /** What was said by SMS after the greeting. */
  private static List<String> said(PromptDay line, Participant robin) {
    var all = line.sms().bodies(robin);
    return all.subList(1, all.size());
  }

  private static String reason(Participant robin) {
    return String.valueOf(day.line().turn(robin, 2).orElseThrow().get("reason"));
  }

  private static List<Asked> asked() {
    return day.fake().asked();
  }

  private static void repliedWith(Participant robin, String text) {
    assertThat(day.line().turn(robin, 2).orElseThrow())
        .containsEntry("status", "done")
        .containsEntry("outcome", "replied");
    assertThat(day.line().transcript(robin))
        .containsExactly("assistant: " + RunningLine.GREETING, "user: hello", "assistant: " + text);
    assertThat(said(day, robin))
        .isEqualTo(
            SmsSplitter.of(ChannelKind.SMS, text).stream().map(SmsSplitter.Part::body).toList());
  }

  /** Iterations are numbered without gaps, closed, and add up to the last request. */
  private static void iterationsAreWhole(Participant robin, int howMany) {
    var context = day.line().iterations(robin, 2);
    var iterations = context.iterations();
    assertThat(iterations)
        .extracting(IterationContext.Iteration::number)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, howMany).boxed().toList());
    assertThat(iterations)
        .allSatisfy(one -> assertThat(one.completedAt()).isNotNull())
        .allSatisfy(one ->
            assertThat(one.toolCalls()).allSatisfy(call -> assertThat(call.result()).isNotNull()));
    assertThat(context.toMessages()).satisfies(asked().getLast()::begins);
  }

  @Test
  void aReplyThatJustFitsIsSentAsItIs() {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake().then(Scripted.say(FITS));
    day.line().answered(robin, "hello");
    repliedWith(robin, FITS);
    assertThat(asked()).hasSize(1);
    assertThat(day.line().turn(robin, 2).orElseThrow()).containsEntry("reason", null);
  }

  @Test
  void aReplyThatIsTooLongIsAskedForOnceMoreAndTheShorterOneGoesOut() {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake().then(Scripted.say(LONG), Scripted.say(SHORT));
    day.line().answered(robin, "hello");
    repliedWith(robin, SHORT);
    assertThat(asked()).hasSize(2);
    assertThat(asked().getFirst().mustSpeak()).isFalse();
    assertThat(asked().getLast().mustSpeak()).as("no tools any more").isTrue();
    assertThat(asked().getLast().texts("assistant")).last().isEqualTo(LONG);
    assertThat(asked().getLast().texts("system").getLast()).contains("at most 306 characters");
    assertThat(reason(robin))
        .contains("would take 4 segments", "at most 2 are allowed", "1 segments were sent");
    iterationsAreWhole(robin, 2);
  }

  @Test
  void whereEmojiMakeItLongTheModelIsToldTheRoomThereIsWithThem() {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake().then(Scripted.say(words(200) + " 🎉"), Scripted.say(SHORT));
    day.line().answered(robin, "hello");
    assertThat(asked().getLast().texts("system").getLast())
        .contains("at most 134 characters, without emoji");
  }

  @Test
  void ofTwoThatAreTooLongTheShorterGoesOutAndNobodyIsAskedAThirdTime() {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake().then(Scripted.say(LONG), Scripted.say(LONGER));
    day.line().answered(robin, "hello");
    repliedWith(robin, LONG);
    assertThat(asked()).hasSize(2);
    var wren = day.greeted(ChannelKind.SMS);
    day.fake().then(Scripted.say(LONGER), Scripted.say(LONG));
    day.line().answered(wren, "hello");
    repliedWith(wren, LONG);
    iterationsAreWhole(wren, 2);
  }

  @Test
  void aReplyOfSeveralPartsGoesOutWhole() {
    var robin = day.greeted(ChannelKind.SMS);
    var whole = "Walk to the window and look out. ".repeat(80).strip();
    day.fake().then(Scripted.say(whole), Scripted.say(whole + " Again."));
    day.line().answered(robin, "hello");
    repliedWith(robin, whole);
    assertThat(said(day, robin)).hasSize(2);
  }

  enum NoHelp {
    FAILS,
    DECLINES,
    IS_FILTERED,
    IS_CUT_OFF,
    SAYS_NOTHING,
    SAYS_JSON,
    CALLS_TOOLS;

    Scripted scripted() {
      return switch (this) {
        case FAILS -> Scripted.status(400);
        case DECLINES -> Scripted.refusal("No.");
        case IS_FILTERED -> Scripted.contentFilter();
        case IS_CUT_OFF -> Scripted.cutOff("One mi");
        case SAYS_NOTHING -> Scripted.say(" ");
        case SAYS_JSON -> Scripted.say("{\"text\":\"short\"}");
        case CALLS_TOOLS ->
            Scripted.calls(new Call("b", "save_user_profile", "{\"prompt_anchor\":\"tea\"}"));
      };
    }
  }

  @ParameterizedTest
  @EnumSource(NoHelp.class)
  void ifAskingAgainDoesNotHelpTheLongReplyGoesOutAndNothingIsLost(NoHelp second) {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake()
        .then(
            Scripted.calls(new Call("a", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}")),
            Scripted.say(LONG),
            second.scripted());
    day.line().answered(robin, "hello");
    repliedWith(robin, LONG);
    assertThat(asked()).hasSize(3);
    assertThat(day.profile(robin).path("prompt_anchor").asText()).isEqualTo("coffee");
    assertThat(day.line().rows("SELECT * FROM profile_change WHERE participant_id = ?", robin.id()))
        .as("one change, once")
        .hasSize(1);
    assertThat(reason(robin)).contains("asked for a shorter one, the model");
    iterationsAreWhole(robin, 3);
  }

  @Test
  void whatToolsDidBeforeIsKeptAndNotDoneAgain() {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake()
        .then(
            Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
            Scripted.say(LONG),
            Scripted.say(SHORT));
    day.line().answered(robin, "hello");
    repliedWith(robin, SHORT);
    assertThat(day.profile(robin).path("prompt_anchor").asText()).isEqualTo("coffee");
    assertThat(asked().getLast().toolResults()).isEqualTo(1);
    iterationsAreWhole(robin, 3);
  }

  @Test
  void whereLengthCostsNothingNobodyIsAsked() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.fake().then(Scripted.say(LONGER));
    day.line().answered(robin, "hello");
    assertThat(asked()).hasSize(1);
    assertThat(day.line().phone(robin)).contains(LONGER);
  }

  @Test
  void aResumedTurnAsksForNothingTwice() {
    var robin = day.greeted(ChannelKind.SMS);
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say(LONG), Scripted.say("nobody hears this").heldBy(held));
    day.line().text(robin, "hello");
    await().until(() -> asked().size() == 2);
    day.line().write("UPDATE lease SET owner = NULL, held_until = NULL");
    day.fake().then(Scripted.say(SHORT));
    day.line().bean(ConversationFlow.class).handle(robin.id());
    day.line().awaitTurn(robin, 2);
    held.countDown();
    await().until(() -> day.fake().pending() == 0);
    repliedWith(robin, SHORT);
    assertThat(asked()).as("the long one, one that died, the short one").hasSize(3);
    assertThat(asked().get(2).body()).isEqualTo(asked().get(1).body());
    iterationsAreWhole(robin, 2);
  }

  @Test
  void withoutABudgetAnyLengthGoesOut() {
    try (var other = PromptDay.of(ReplyBudgetTest.class, setup -> setup.with(BUDGET, "0"))) {
      var robin = other.greeted(ChannelKind.SMS);
      other.fake().then(Scripted.say(LONGER));
      other.line().answered(robin, "hello");
      assertThat(said(other, robin)).containsExactly(LONGER);
      assertThat(other.fake().asked()).hasSize(1);
    }
  }

  @Test
  void theDefaultIsSixSegments() {
    try (var other = PromptDay.of(ReplyBudgetTest.class)) {
      var robin = other.greeted(ChannelKind.SMS);
      other.fake().then(Scripted.say(words(6 * 153)), Scripted.say(words(6 * 153 + 1)));
      other.line().answered(robin, "hello");
      assertThat(other.fake().asked()).hasSize(1);
      other.line().answered(robin, "and?");
      assertThat(other.fake().asked()).hasSize(3);
      assertThat(said(other, robin)).containsExactly(words(6 * 153), "All right.");
    }
  }

  @Test
  void aModuleThatAllowsNoMoreModelCallsSendsTheLongReply() {
    try (var other =
        PromptDay.of(
            ReplyBudgetTest.class,
            setup ->
                setup
                    .with(BUDGET, "2")
                    .flow(yaml -> yaml.replace("max_iterations: 10", "max_iterations: 1")))) {
      var robin = other.greeted(ChannelKind.SMS);
      other.fake().then(Scripted.say(LONG));
      assertThat(other.line().answered(robin, "hello"))
          .containsEntry("outcome", "replied")
          .extractingByKey("reason")
          .asString()
          .contains("no model call was left");
      assertThat(other.fake().asked()).hasSize(1);
      assertThat(said(other, robin)).containsExactly(LONG);
    }
  }

  @Test
  void theSecondRequestGetsOnlyWhatIsLeftOfTheTurnsTime() {
    try (var other =
        PromptDay.of(
            ReplyBudgetTest.class,
            setup ->
                setup
                    .with(BUDGET, "2")
                    .with("turn.deadline", "8s")
                    .with(
                        "model.attempt-timeout", Patience.LONG.plusMinutes(1).toSeconds() + "s"))) {
      var robin = other.greeted(ChannelKind.SMS);
      other.fake().then(Scripted.say(LONG), Scripted.hang());
      var began = System.nanoTime();
      other.line().answered(robin, "hello");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Patience.LONG);
      assertThat(said(other, robin)).containsExactly(LONG);
    }
  }
}
