package org.habitline.messaging.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Restored;
import org.habitline.messaging.TestChannel;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While all sending is stopped texts are taken in and answered, and nothing leaves. */
final class SendingStopTest {

  private static final TestChannel channel = new TestChannel(ChannelKind.SMS);
  private static RunningLine line;
  private Participant robin;

  @BeforeAll
  static void start() {
    line = RunningLine.in(SendingStopTest.class).bean(channel).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void greet() {
    robin = line.enrol(ChannelKind.SMS);
    line.awaitTurn(robin, 1);
    channel.forget();
    line.fake().forget();
  }

  @AfterEach
  void sendAgain() {
    resume(line);
    // What the line knows of the stop is asked again after a second.
    line.system().advance(Duration.ofSeconds(1));
  }

  private static Transactions transactions(RunningLine node) {
    return node.bean(Transactions.class);
  }

  private static void inOneTransaction(RunningLine node, Runnable work) {
    transactions(node)
        .write(() -> {
          work.run();
        });
  }

  private static void stopSending(RunningLine node) {
    inOneTransaction(node, () -> node.bean(SendingStop.class).stop("admin", "a bad prompt"));
  }

  private static void resume(RunningLine node) {
    inOneTransaction(node, () -> node.bean(SendingStop.class).resume());
  }

  private void says(String reply) {
    line.fake().then(Scripted.say(reply));
    var next = line.turns(robin) + 1;
    line.text(robin, "hello");
    await()
        .until(() ->
            line.turn(robin, next).filter(turn -> "done".equals(turn.get("status"))).isPresent());
  }

  private Map<String, Object> delivery(String body) {
    return line.rows("SELECT * FROM outbox WHERE participant_id = ? AND body = ?", robin.id(), body)
        .getLast();
  }

  private void staysPlanned(String body) {
    await()
        .during(Duration.ofMillis(1500))
        .until(() -> "planned".equals(delivery(body).get("status")));
  }

  @Test
  void whatIsSaidWhileSendingIsStoppedWaitsAndLeavesInOrderWhenItResumes() {
    stopSending(line);
    says("One.");
    says("Two.");
    staysPlanned("One.");
    assertThat(channel.bodies(robin)).isEmpty();
    assertThat(delivery("One.")).containsEntry("attempts", 0);
    resume(line);
    await().until(() -> "accepted".equals(delivery("Two.").get("status")));
    assertThat(channel.bodies(robin)).containsExactly("One.", "Two.");
  }

  @Test
  void aStopHoldsOnEveryNodeWithinASecondAndAfterARestart() {
    var other = line.second().bean(channel).build();
    try {
      assertThat(other.bean(SendingStop.class).inForce()).isEmpty();
      stopSending(line);
      assertThat(line.bean(SendingStop.class).inForce()).isPresent();
      line.system().advance(Duration.ofSeconds(1));
      assertThat(other.bean(SendingStop.class).inForce())
          .hasValueSatisfying(stopped -> {
            assertThat(stopped.by()).isEqualTo("admin");
            assertThat(stopped.reason()).isEqualTo("a bad prompt");
          });
      resume(other);
      line.system().advance(Duration.ofSeconds(1));
      assertThat(line.bean(SendingStop.class).inForce()).isEmpty();
    } finally {
      other.stop();
    }
  }

  @Test
  void whatItKnowsIsAskedAgainAfterASecondOnly() {
    var sending = line.bean(SendingStop.class);
    assertThat(sending.inForce()).isEmpty();
    line.write(
        "INSERT INTO sending_stop (id, stopped_at, stopped_by, reason)"
            + " VALUES (1, CURRENT_TIMESTAMP, 'another node', 'x')");
    line.system().advance(Duration.ofSeconds(1));
    assertThat(sending.inForce()).isPresent();
  }

  @Test
  void whoeverReadJustBeforeAStopDoesNotHideIt() {
    var sending = line.bean(SendingStop.class);
    var rows = line.bean(JdbcSendingStop.class);
    var slow = new AtomicReference<SendingStop>();
    slow.set(
        new SendingStop(
            (JdbcSendingStop)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {JdbcSendingStop.class},
                    (proxy, method, arguments) -> {
                      var result = method.invoke(rows, arguments);
                      // The stop is saved between the first reading and keeping what it said.
                      if (method.getName().equals("find") && sending.askAgain().isEmpty()) {
                        var stopper =
                            Thread.ofVirtual()
                                .start(() ->
                                    inOneTransaction(
                                        line, () -> slow.get().stop("admin", "a bad prompt")));
                        stopper.join();
                      }
                      return result;
                    }),
            line.bean(Restored.class),
            transactions(line),
            line.system()));
    assertThat(slow.get().inForce()).isEmpty();
    assertThat(slow.get().inForce()).isPresent();
  }

  @Test
  void whatWaitedForADayIsRefusedThoughSendingIsStillStopped() {
    stopSending(line);
    says("One.");
    staysPlanned("One.");
    line.system().advance(Duration.ofHours(25));
    says("Two.");
    await().until(() -> "refused".equals(delivery("One.").get("status")));
    assertThat(delivery("One.").get("reason")).asString().contains("24 hours");
    assertThat(delivery("Two.")).containsEntry("status", "planned");
    assertThat(channel.bodies(robin)).isEmpty();
  }

  @Test
  void aPromptThatWaitedPastItsLatenessIsNotSentWhenSendingResumes() {
    stopSending(line);
    inOneTransaction(
        line,
        () ->
            line.bean(Outbox.class)
                .plan(
                    new Outbox.Planned(
                        robin.id(),
                        null,
                        null,
                        OutboundKind.PROMPT,
                        ChannelKind.SMS,
                        "Breathe.",
                        Duration.ofHours(2),
                        null,
                        null)));
    says("One.");
    line.system().advance(Duration.ofHours(3));
    resume(line);
    await().until(() -> "accepted".equals(delivery("One.").get("status")));
    assertThat(delivery("Breathe."))
        .containsEntry("status", "refused")
        .containsEntry("reason", "it waited for more than 2 hours");
    assertThat(channel.bodies(robin)).containsExactly("One.");
  }

  @Test
  void anEndedStopIsNotEndedTwiceAndAStopDoesNotReplaceAnother() {
    var sending = line.bean(SendingStop.class);
    inOneTransaction(
        line,
        () -> {
          assertThat(sending.stop("admin", "first")).isTrue();
          assertThat(sending.stop("somebody", "second")).isFalse();
        });
    assertThat(sending.inForce()).map(SendingStop.Stopped::reason).contains("first");
    inOneTransaction(
        line,
        () -> {
          assertThat(sending.resume()).map(SendingStop.Stopped::by).contains("admin");
          assertThat(sending.resume()).isEmpty();
        });
    assertThat(sending.inForce()).isEmpty();
  }

  @Test
  void aTextThatWaitsForTheNumberToChangeGoesToTheNewOne() {
    stopSending(line);
    says("One.");
    var number = line.strangersNumber();
    line.bean(Participants.class).changeNumber(robin.id(), number);
    resume(line);
    await().until(() -> "accepted".equals(delivery("One.").get("status")));
    assertThat(channel.numbers(robin)).containsExactly(number);
  }
}
