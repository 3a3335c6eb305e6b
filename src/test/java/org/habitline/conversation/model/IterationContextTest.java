package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.conversation.stored.IterationContext.Message;
import org.habitline.conversation.stored.IterationContext.Role;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns in the shape of seed 004: each iteration has what was new in it, and what it asked for. */
final class IterationContextTest {

  private static final String SAVE = "save_user_profile";

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(IterationContextTest.class).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void theModelWasAskedByTheRules() {
    assertThat(line.fake().violations()).isEmpty();
    line.fake().forget();
  }

  private static List<Role> roles(List<Message> messages) {
    return messages.stream().map(Message::role).toList();
  }

  private static IterationContext answered(Participant participant, Scripted... answers) {
    line.fake().then(answers);
    line.answered(participant, "hello");
    return line.iterations(participant, 2);
  }

  private static IterationContext coffee() {
    return answered(
        line.greeted(),
        Scripted.textAndCalls(
            "Let me note that.",
            new Call("c1", SAVE, "{\"prompt_anchor\":\"coffee\",\"tone_tags\":[\"concise\"]}")),
        Scripted.say("Coffee it is."));
  }

  @Test
  void anAnswerAndTheResultsOfItsCallsBelongToTheIterationThatAsked() {
    var context = coffee();
    assertThat(context.currentIteration()).isEqualTo(2);
    assertThat(roles(context.messages(1)))
        .containsExactly(Role.SYSTEM, Role.ASSISTANT, Role.USER, Role.ASSISTANT, Role.TOOL);
    assertThat(context.messages(1).get(3).content()).isEqualTo("Let me note that.");
    assertThat(context.messages(1).getLast().toolCallId()).isEqualTo("c1");
    assertThat(context.messages(2))
        .containsExactly(new Message(Role.ASSISTANT, "Coffee it is.", List.of(), null));
    assertThat(context.allMessages())
        .hasSize(6)
        .startsWith(context.messages(1).toArray(Message[]::new))
        .endsWith(context.messages(2).getFirst());
    assertThat(context.messages(3)).isEmpty();
    assertThat(context.iteration(3)).isEmpty();
    assertThat(context.iteration(0)).isEmpty();
  }

  @Test
  void aCallHasJsonValuesWhereverItStands() {
    var context = coffee();
    var call = context.iteration(1).orElseThrow().toolCalls().getFirst();
    assertThat(call.arguments().at("/tone_tags/0").textValue()).isEqualTo("concise");
    assertThat(Objects.requireNonNull(call.result()).path("status").textValue())
        .isEqualTo("success");
    assertThat(context.messages(1).get(3).toolCalls())
        .containsExactly(new IterationContext.AskedCall(call.id(), call.name(), call.arguments()));
    assertThat(context.iteration(2).orElseThrow().toolCalls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"prompt_anchor\": cof", "{} {}", "{\"a\":1,\"a\":2}", ""})
  void argumentsThatAreNotJsonAreKeptAsTheirText(String arguments) {
    var context =
        answered(line.greeted(), Scripted.call(SAVE, arguments), Scripted.say("Say that again?"));
    assertThat(context.iteration(1).orElseThrow().toolCalls())
        .singleElement()
        .satisfies(call -> assertThat(call.arguments().textValue()).isEqualTo(arguments));
  }

  @Test
  void theMessagesOfAllIterationsAreWhatTheModelWasSentAndItsLastAnswer() {
    var context = coffee();
    var sent = context.toMessages();
    assertThat(sent).satisfies(line.fake().asked().getLast()::begins);
    assertThat(sent.getLast())
        .isEqualTo(new ModelMessage.AssistantText("Coffee it is.", List.of()));
    assertThat(((ModelMessage.AssistantText) sent.get(3)).toolCalls().getFirst().arguments())
        .isEqualTo("{\"prompt_anchor\":\"coffee\",\"tone_tags\":[\"concise\"]}");
  }

  @Test
  void anUnusableAnswerBelongsToItsIterationAndTheNoteAboutItToTheNext() {
    var context =
        answered(
            line.greeted(),
            Scripted.say("{\"reply\":\"Hello\"}"),
            Scripted.say(" "),
            Scripted.say("Hello."));
    assertThat(context.messages(1).getLast().content()).isEqualTo("{\"reply\":\"Hello\"}");
    assertThat(roles(context.messages(2))).containsExactly(Role.SYSTEM);
    assertThat(roles(context.messages(3))).containsExactly(Role.SYSTEM, Role.ASSISTANT);
    assertThat(context.toMessages()).satisfies(line.fake().asked().getLast()::begins);
  }

  @Test
  void aModelThatFailsOrDeclinesHasNoMessage() {
    var failed =
        answered(
            line.greeted(),
            Scripted.call(SAVE, "{\"prompt_anchor\":\"coffee\"}"),
            Scripted.status(401));
    assertThat(roles(failed.messages(1))).endsWith(Role.ASSISTANT, Role.TOOL);
    assertThat(failed.messages(2)).isEmpty();
    assertThat(failed.iteration(2).orElseThrow().metadata()).containsEntry("answer", "failed");
  }

  @Test
  void whileTheNextAnswerIsAwaitedTheCallsHaveNoResults() {
    var robin = line.greeted();
    var latch = new CountDownLatch(1);
    line.fake()
        .then(
            Scripted.call(SAVE, "{\"prompt_anchor\":\"coffee\"}"),
            Scripted.say("Coffee it is.").heldBy(latch));
    line.text(robin, "hello");
    await().until(() -> line.fake().asked().size() == 2);
    var context = line.iterations(robin, 2);
    assertThat(context.currentIteration()).isEqualTo(1);
    assertThat(context.iterations().getFirst().completedAt()).isNull();
    assertThat(context.updatedAt()).isEqualTo(context.iterations().getFirst().startedAt());
    JsonNode json = line.bean(ObjectMapper.class).valueToTree(context);
    assertThat(json.at("/iterations/0").has("completed_at")).isTrue();
    assertThat(json.at("/iterations/0/completed_at").isNull()).isTrue();
    assertThat(context.iterations().getFirst().toolCalls())
        .singleElement()
        .satisfies(call -> assertThat(call.result()).isNull());
    assertThat(context.extractToolCalls())
        .singleElement()
        .satisfies(call -> assertThat(call.name()).isEqualTo(SAVE));
    assertThat(written(context)).isEqualTo(context);
    latch.countDown();
    line.awaitTurn(robin, 2);
    assertThat(line.iterations(robin, 2).extractToolCalls()).isEmpty();
  }

  @Test
  void theTimesAreThoseOfTheCallsAndOfTheWholeTurn() {
    var robin = line.greeted();
    var latch = new CountDownLatch(1);
    var begins = line.study().instant();
    line.fake()
        .then(
            Scripted.call(SAVE, "{\"prompt_anchor\":\"coffee\"}"),
            Scripted.say("Coffee it is.").heldBy(latch));
    line.text(robin, "hello");
    await().until(() -> line.fake().asked().size() == 2);
    line.study().advance(Duration.ofMinutes(1));
    latch.countDown();
    line.awaitTurn(robin, 2);
    var context = line.iterations(robin, 2);
    assertThat(context.iterations().getFirst().startedAt()).isEqualTo(begins);
    assertThat(context.iterations().getFirst().completedAt()).isEqualTo(begins);
    assertThat(context.iterations().getLast().startedAt()).isEqualTo(begins);
    assertThat(context.iterations().getLast().completedAt()).isEqualTo(begins.plusSeconds(60));
    JsonNode json = line.bean(ObjectMapper.class).valueToTree(context);
    assertThat(json.path("created_at").asText()).isEqualTo(begins.toString());
    assertThat(json.path("updated_at").asText()).isEqualTo(begins.plusSeconds(60).toString());
  }

  @Test
  void aTurnHasReachedALimitOfItsOwnLengthAndShorter() {
    var context = coffee();
    assertThat(context.exceeded(1)).isTrue();
    assertThat(context.exceeded(2)).isTrue();
    assertThat(context.exceeded(3)).isFalse();
    assertThat(line.iterations(line.greeted(), 99).exceeded(1)).isFalse();
  }

  @Test
  void itIsWrittenAsJsonAndReadAgainUnchanged() throws JsonProcessingException {
    var context = coffee();
    assertThat(written(context)).isEqualTo(context);
    JsonNode json = line.bean(ObjectMapper.class).valueToTree(context);
    assertThat(json.fieldNames())
        .toIterable()
        .containsExactly("iterations", "current_iteration", "created_at", "updated_at");
    assertThat(json.at("/iterations/0").fieldNames())
        .toIterable()
        .containsExactly(
            "number", "messages", "tool_calls", "started_at", "completed_at", "metadata");
    assertThat(json.at("/iterations/0/tool_calls/0").fieldNames())
        .toIterable()
        .containsExactly("id", "name", "arguments", "result");
    assertThat(json.at("/iterations/0/tool_calls/0/arguments").isObject()).isTrue();
    assertThat(json.at("/iterations/0/tool_calls/0/result").isObject()).isTrue();
    assertThat(json.at("/iterations/1/tool_calls").isArray()).isTrue();
    assertThat(json.at("/iterations/0/metadata/receipt/prompt_tokens").isInt()).isTrue();
  }

  private static IterationContext written(IterationContext context) {
    var mapper = line.bean(ObjectMapper.class);
    try {
      return mapper.readValue(mapper.writeValueAsString(context), IterationContext.class);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
