package org.habitline.conversation.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.takeover.Retries.Retried;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Staff let the coach reply to a text whose turn failed. */
final class RetriesTest {

  private static final String REPLY = "Here I am.";

  private static PromptDay day;
  private static String fallback;

  @BeforeAll
  static void start() {
    day = PromptDay.of(RetriesTest.class);
    fallback = day.line().bean(FlowCatalog.class).defaultFlow().texts().errorFallback();
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
    day.at("10:00");
  }

  /** Somebody whose text, their second turn, got only the fallback message. */
  private static Participant failed() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.fake().then(refusal());
    assertThat(day.line().answered(robin, "hello")).containsEntry("outcome", "model_failed");
    return robin;
  }

  private static Scripted refusal() {
    return Scripted.status(429, Map.of("Retry-After", "3600"));
  }

  private static Retried retry(Participant participant, int turn) {
    var retried = day.line().bean(Retries.class).retry(day.now(participant), turn);
    day.sweep();
    return retried;
  }

  private static Map<String, Object> third(Participant participant) {
    return day.line().awaitTurn(participant, 3);
  }

  @Test
  void aTextGetsOneReplyHoweverOftenARetryIsAskedFor() {
    var robin = failed();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say(REPLY).heldBy(held));
    assertThat(retry(robin, 2)).isEqualTo(Retried.PLANNED);
    assertThat(retry(robin, 2)).isEqualTo(Retried.ALREADY);
    held.countDown();
    assertThat(third(robin)).containsEntry("kind", "woke").containsEntry("outcome", "replied");
    assertThat(day.line().transcript(robin))
        .containsExactly(
            "assistant: All right.",
            "user: hello",
            "assistant: " + fallback,
            "assistant: " + REPLY);
    assertThat(day.fake().asked().getLast().texts("user")).contains("hello");
    assertThat(retry(robin, 2)).isEqualTo(Retried.ANSWERED);
    assertThat(day.wakeups(robin)).isEmpty();
    await().until(() -> day.line().phone(robin).contains(REPLY));
  }

  @Test
  void aModelThatFailsAgainSendsNothingAndMayBeRetriedOnceMore() {
    var robin = failed();
    day.fake().then(refusal());
    assertThat(retry(robin, 2)).isEqualTo(Retried.PLANNED);
    assertThat(third(robin))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "model_failed");
    assertThat(day.line().transcript(robin)).hasSize(3);
    day.fake().then(Scripted.say(REPLY));
    assertThat(retry(robin, 3)).isEqualTo(Retried.NO_TEXT);
    await().until(() -> retry(robin, 2) == Retried.PLANNED);
    assertThat(day.line().awaitTurn(robin, 4)).containsEntry("outcome", "replied");
  }

  @Test
  void whatStaffWriteMeanwhileIsTheOnlyReply() {
    var robin = failed();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say(REPLY).heldBy(held));
    assertThat(retry(robin, 2)).isEqualTo(Retried.PLANNED);
    await().until(() -> day.fake().asked().size() == 2);
    day.line()
        .bean(Takeover.class)
        .write(day.now(robin), "This is Sam.", "Sam", OutboundKind.STAFF);
    held.countDown();
    assertThat(third(robin)).containsEntry("outcome", "dropped");
    assertThat(day.line().transcript(robin)).last().isEqualTo("assistant: This is Sam.");
    assertThat(retry(robin, 2)).isEqualTo(Retried.ANSWERED);
  }

  @Test
  void whatStaffWriteToManyIsNoReply() {
    var robin = failed();
    var takeover = day.line().bean(Takeover.class);
    var words = "The office is closed on Friday.";
    assertThat(takeover.writeToOneOfMany(day.now(robin), words, "Sam")).startsWith("msg_");
    day.fake().then(Scripted.say(REPLY));
    assertThat(retry(robin, 2)).isEqualTo(Retried.PLANNED);
    assertThat(third(robin)).containsEntry("outcome", "replied");
    assertThat(day.line().transcript(robin)).endsWith("assistant: " + words, "assistant: " + REPLY);
  }

  @Test
  void aRetryIsRefusedIfItWouldNotBeTheOneReply() {
    var robin = failed();
    assertThat(retry(robin, 1)).isEqualTo(Retried.NOT_FAILED);
    assertThat(retry(robin, 9)).isEqualTo(Retried.NO_TURN);
    day.line().bean(Takeover.class).mute(robin.id(), Duration.ofMinutes(30), "Sam");
    assertThat(retry(robin, 2)).isEqualTo(Retried.TAKEN_OVER);

    var casey = failed();
    assertThat(day.line().answered(casey, "hello again")).containsEntry("outcome", "replied");
    assertThat(retry(casey, 2)).isEqualTo(Retried.ANSWERED);

    var alex = failed();
    day.line().answered(alex, "HELP");
    assertThat(retry(alex, 2)).isEqualTo(Retried.NO_TEXT);
  }

  @Test
  void aRetryOfAnEarlierTurnAnswersALaterTextThatFailedToo() {
    var robin = failed();
    day.fake().then(refusal());
    assertThat(day.line().answered(robin, "still there?")).containsEntry("outcome", "model_failed");
    day.fake().then(Scripted.say(REPLY));
    assertThat(retry(robin, 2)).isEqualTo(Retried.PLANNED);
    assertThat(day.line().awaitTurn(robin, 4)).containsEntry("outcome", "replied");
  }

  @Test
  void aRetryAtNightWaitsForTheAllowedHours() {
    var robin = day.greeted(ChannelKind.SMS);
    var casey = day.greeted(ChannelKind.SMS);
    day.at("19:30");
    for (var one : List.of(robin, casey)) {
      day.fake().then(refusal());
      assertThat(day.line().answered(one, "hello")).containsEntry("outcome", "model_failed");
    }
    day.at("22:30");
    assertThat(retry(robin, 2)).isEqualTo(Retried.PLANNED);
    assertThat(third(robin))
        .containsEntry("outcome", "dropped")
        .asString()
        .contains("the coach replies within the allowed hours");
    day.line().awaitRest(robin);
    assertThat(retry(robin, 2)).isEqualTo(Retried.ALREADY);
    day.fake().then(Scripted.say(REPLY));
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "replied");
  }
}
