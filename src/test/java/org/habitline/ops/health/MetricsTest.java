package org.habitline.ops.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.habitline.RunningLine;
import org.habitline.audit.Events;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is counted and measured, and what is not. */
final class MetricsTest {

  /** Model calls of a greeting. */
  private static final int GREETING = 1;

  private static final TestChannel SMS = new TestChannel(ChannelKind.SMS);
  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(MetricsTest.class).bean(SMS).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** Counts begin anew once the turns of the test before are counted. */
  @BeforeEach
  void begin() {
    line.bean(Participants.class)
        .list(new Participants.Filter(null, null), Long.MAX_VALUE, 100)
        .participants()
        .forEach(line::awaitRest);
    var registry = line.bean(MeterRegistry.class);
    registry.getMeters().stream()
        .filter(meter -> meter instanceof Counter || meter instanceof Timer)
        .forEach(registry::remove);
  }

  /** The sum of all meters of this name with these tags. */
  private static double counted(String name, String... tags) {
    return line.bean(MeterRegistry.class).find(name).tags(tags).counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }

  private static double gauge(RunningLine of, String name, String... tags) {
    of.system().advance(Backlog.FRESH.multipliedBy(2));
    return of.bean(MeterRegistry.class).get(name).tags(tags).gauge().value();
  }

  private static Transactions transactions() {
    return line.bean(Transactions.class);
  }

  private static Participant greeted() {
    var robin = line.enrol(ChannelKind.SMS);
    line.awaitTurn(robin, 1);
    return robin;
  }

  /** A turn is counted after its commit, which is what others wait for. */
  private static Participant greetedAndCounted() {
    var robin = line.greeted();
    await().until(() -> counted("habitline.turns", "kind", "enrolled", "outcome", "replied") == 1);
    await().until(() -> counted("habitline.iterations") == GREETING);
    return robin;
  }

  @Test
  void turnsAreCountedByOutcomeWithTheirIterationsToolCallsAndMoves() {
    var robin = greetedAndCounted();

    line.fake()
        .then(
            Scripted.calls(
                new Scripted.Call("c1", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
                new Scripted.Call("c2", "call_me_on_+12065550123", "{}"),
                new Scripted.Call(
                    "c3", "transition_state", "{\"target_state\":\"FEEDBACK\",\"reason\":null}")),
            Scripted.call("transition_state", "{\"target_state\":\"NOWHERE\",\"reason\":null}"),
            Scripted.say("Noted."));
    line.answered(robin, "hello");

    await().until(() -> counted("habitline.turns", "kind", "said", "outcome", "replied") == 1);
    await().until(() -> counted("habitline.iterations") == GREETING + 3);
    await()
        .until(() ->
            counted("habitline.tool.calls", "tool", "save_user_profile", "result", "success") == 1);
    await().until(() -> counted("habitline.tool.calls", "tool", "unknown", "result", "error") == 1);
    await()
        .until(() ->
            counted("habitline.tool.calls", "tool", "transition_state", "result", "success") == 1);
    await()
        .until(() ->
            counted("habitline.tool.calls", "tool", "transition_state", "result", "error") == 1);
    assertThat(counted("habitline.tool.calls")).isEqualTo(4);
    await().until(() -> counted("habitline.transitions", "to", "FEEDBACK") == 1);
    await().until(() -> counted("habitline.transitions") == 1);
  }

  @Test
  void theModelIsMeasuredByNameAndOutcomeAndItsTokensCounted() {
    var robin = line.greeted();
    line.fake().then(Scripted.say("Good morning."));
    line.answered(robin, "hello");

    var timer =
        line.bean(MeterRegistry.class)
            .get("habitline.model.latency")
            .tags("outcome", "says", "model", "gpt-4.1-mini")
            .timer();
    assertThat(timer.count()).isEqualTo(2);
    assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isPositive();
    assertThat(counted("habitline.model.tokens", "type", "prompt")).isPositive();
    assertThat(counted("habitline.model.tokens", "type", "completion")).isPositive();
  }

  @Test
  void aTurnThatCouldNotBeCommittedIsNotCounted() {
    var robin = greetedAndCounted();
    var latch = new CountDownLatch(1);
    line.fake().then(Scripted.say("nobody hears this").heldBy(latch));
    line.text(robin, "hello");
    await().until(() -> line.fake().asked().size() == 1);
    assertThat(line.bean(Participants.class).leave(robin.id(), false)).isTrue();
    latch.countDown();

    // The next one counts, and comes after it.
    line.enrol();
    await().until(() -> counted("habitline.turns") > 1);
    await().during(Duration.ofMillis(300)).until(() -> counted("habitline.turns") == 2);
    assertThat(counted("habitline.turns", "kind", "said")).isZero();
  }

  @Test
  void whatIsUndoneIsNotCountedAmongDeliveries() {
    transactions()
        .write(() -> {
          line.bean(Events.class)
              .emit("delivery.updated", null, Map.of("channel", "whatsapp", "status", "planned"));
          line.bean(Transactions.class).rollBack();
        });
    assertThat(counted("habitline.deliveries", "channel", "whatsapp")).isZero();
  }

  @Test
  void deliveriesAreCountedByChannelStatusAndCode() {
    var robin = greeted();
    await()
        .until(() -> counted("habitline.deliveries", "channel", "sms", "status", "accepted") == 1);
    await().until(() -> counted("habitline.deliveries", "status", "planned", "code", "none") == 1);

    SMS.then(robin, message -> new Delivery.Refused(DeliveryFailure.BAD_NUMBER, "21211"));
    line.answered(robin, "hello");
    await().until(() -> counted("habitline.deliveries", "status", "refused", "code", "21211") == 1);

    line.answered(robin, "hello again");
    var id = SMS.all().getLast().id();
    line.bean(DeliveryReports.class)
        .accept(
            new DeliveryReport(
                "provider_" + id,
                "undelivered",
                DeliveryStatus.UNDELIVERED,
                "30005",
                DeliveryFailure.BAD_NUMBER));
    assertThat(
            counted(
                "habitline.deliveries", "channel", "sms", "status", "undelivered", "code", "30005"))
        .isOne();
  }

  @Test
  void queuesSendersAndRefusalsAreGauges() {
    try (var own =
        RunningLine.in(MetricsTest.class).bean(new TestChannel(ChannelKind.SMS)).start()) {
      var robin = own.greeted();
      assertThat(gauge(own, "habitline.inbox.waiting", "kind", "said")).isZero();
      assertThat(gauge(own, "habitline.inbox.oldest.seconds", "kind", "said")).isZero();
      var latch = new CountDownLatch(1);
      own.fake().then(Scripted.say("at last").heldBy(latch));
      own.text(robin, "hello");
      own.system().advance(Duration.ofSeconds(1));
      await().until(() -> gauge(own, "habitline.inbox.waiting", "kind", "said") == 1);
      assertThat(gauge(own, "habitline.inbox.oldest.seconds", "kind", "said")).isGreaterThan(5);
      latch.countDown();
      await().until(() -> gauge(own, "habitline.inbox.waiting", "kind", "said") == 0);

      assertThat(gauge(own, "habitline.sender.stopped", "channel", "sms")).isZero();
      own.write("INSERT INTO sender (channel, stopped_at) VALUES ('sms', CURRENT_TIMESTAMP)");
      assertThat(gauge(own, "habitline.sender.stopped", "channel", "sms")).isOne();
      assertThat(gauge(own, "habitline.sending.stopped")).isZero();
      assertThat(gauge(own, "habitline.unclaimed")).isZero();
      assertThat(gauge(own, "habitline.occurrences.missed")).isZero();
      assertThat(gauge(own, "habitline.wakeups.late")).isZero();

      own.bean(RefusedCalls.class).refused();
      assertThat(
              own.bean(MeterRegistry.class)
                  .get("habitline.webhook.refusals")
                  .functionCounter()
                  .count())
          .isOne();
      assertThat(
              own.bean(MeterRegistry.class)
                  .get("habitline.webhook.not.ours")
                  .functionCounter()
                  .count())
          .isZero();
    }
  }

  @Test
  void theDatabaseIsNotAskedAgainForEachGauge() {
    var first = line.bean(Backlog.class).seen();
    assertThat(line.bean(Backlog.class).seen()).isSameAs(first);
    line.system().advance(Backlog.FRESH);
    assertThat(line.bean(Backlog.class).seen()).isNotSameAs(first);
  }
}
