package org.habitline.messaging.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.habitline.LockHolder;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.TestChannel;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sender keeps its pace, whoever waits; what somebody waits for leaves first. */
@Tag("database")
@Order(1)
final class SenderQueueTest {

  private static final double PACE = 5;

  private static final TestChannel SMS = TestChannel.at(ChannelKind.SMS, PACE);
  private static RunningLine shared;

  private RunningLine line;

  @BeforeAll
  static void start() {
    shared = started();
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  private static RunningLine started() {
    return RunningLine.in(SenderQueueTest.class).bean(SMS).bean(new SqlCounts()).start();
  }

  /** What the test before sent is written down, and its sender works. */
  @BeforeEach
  void begin() {
    line = shared;
    await()
        .until(() ->
            line.rows("SELECT id FROM outbox WHERE open = TRUE").isEmpty()
                && line.bean(Senders.class).stopped().isEmpty());
    SMS.forget();
  }

  @AfterEach
  void end() {
    if (line != shared) {
      line.close();
    }
  }

  private List<Participant> people(int howMany) {
    var people = new ArrayList<Participant>();
    for (int i = 0; i < howMany; i++) {
      people.add(line.enrol(ChannelKind.SMS));
    }
    await().until(() -> SMS.all().size() == howMany);
    SMS.forget();
    return people;
  }

  private void plan(Participant to, OutboundKind kind, String body) {
    line.bean(Outbox.class).plan(new Outbox.Planned(to.id(), 1, null, kind, ChannelKind.SMS, body));
  }

  private void inOneTransaction(Runnable work) {
    var transactions = line.bean(Transactions.class);
    transactions.write(() -> {
      work.run();
    });
  }

  /** Nobody lets texts go, as if another node did. */
  private void anotherNodeHoldsTheSender() {
    line.write(
        "UPDATE sender SET owner = 'another', held_until = ?",
        OffsetDateTime.parse("2100-01-01T00:00:00Z"));
    // What this node believes runs out.
    line.system().advance(Duration.ofSeconds(10));
    // A round that has begun may still release messages; the second from now begins after this.
    var before = rounds();
    await().until(() -> rounds() >= before + 2);
  }

  /** How often the queue has asked for the lease of its sender, as it does when a round begins. */
  private long rounds() {
    return line.bean(SqlCounts.class).of("sender-sms").stream()
        .filter(statement -> statement.startsWith("UPDATE sender SET owner = ?"))
        .count();
  }

  private void theOtherNodeDies() {
    line.write("UPDATE sender SET held_until = ?", OffsetDateTime.parse("2000-01-01T00:00:00Z"));
  }

  @Test
  void answersLeaveBeforePromptsAndEachPersonsTextsInTheirOrder() {
    var people = people(14);
    anotherNodeHoldsTheSender();
    var busy = people.getLast();
    inOneTransaction(() -> {
      people.subList(0, 12).forEach(it -> plan(it, OutboundKind.PROMPT, "prompt"));
      plan(busy, OutboundKind.PROMPT, "prompt of the busy one");
      plan(people.get(12), OutboundKind.REPLY, "an answer");
      plan(busy, OutboundKind.REPLY, "an answer to the busy one");
    });
    theOtherNodeDies();
    await().until(() -> SMS.all().size() == 15);
    var bodies = SMS.all().stream().map(OutboundMessage::body).toList();
    // A full bucket lets five go at once, in whatever order their threads run.
    assertThat(bodies.subList(0, 5)).contains("an answer", "prompt of the busy one");
    // It waits for the one before it, however long that takes to be written down, and for no other.
    assertThat(bodies).last().isNotEqualTo("an answer to the busy one");
    assertThat(SMS.bodies(busy))
        .containsExactly("prompt of the busy one", "an answer to the busy one");
  }

  @Test
  void noMoreTextsLeaveThanTheSenderMaySend() {
    var people = people(3);
    var before = System.nanoTime();
    inOneTransaction(() -> {
      for (int i = 0; i < 16; i++) {
        plan(people.get(i % 3), OutboundKind.REPLY, "text " + i);
      }
    });
    await().until(() -> SMS.all().size() == 16);
    var took = Duration.ofNanos(System.nanoTime() - before);
    // A full bucket holds the texts of one second; the others leave at the pace.
    assertThat(took).isGreaterThan(Duration.ofMillis((long) ((16 - PACE - 1) / PACE * 1000)));
    assertThat(SMS.bodies(people.getFirst()))
        .containsExactly("text 0", "text 3", "text 6", "text 9", "text 12", "text 15");
  }

  @Test
  void aLongTextTakesThePlaceOfItsSegments() {
    var people = people(4);
    var before = System.nanoTime();
    inOneTransaction(() ->
        people.forEach(it -> plan(it, OutboundKind.REPLY, "walk a minute. ".repeat(50).strip())));
    await().until(() -> SMS.all().size() == 4);
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .as("texts of five segments each; of one, all four would leave at once")
        .isGreaterThan(Duration.ofMillis((long) (2 * (5 - 1) / PACE * 1000)));
  }

  @Test
  void whileAnotherNodeLetsTextsGoThisOneDoesNotAndTakesOverWhenItDies() {
    var robin = people(1).getFirst();
    anotherNodeHoldsTheSender();
    inOneTransaction(() -> plan(robin, OutboundKind.REPLY, "text"));
    await().during(Duration.ofMillis(600)).until(() -> SMS.all().isEmpty());
    theOtherNodeDies();
    await().until(() -> SMS.all().size() == 1);
  }

  @Test
  void aStoppedSenderTriesAnotherTextAndEndsWhatIsNotWorthSendingAnyMore() {
    var people = people(3);
    var wrong = people.getFirst();
    SMS.then(
        wrong,
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "21606", Duration.ZERO));
    inOneTransaction(() -> plan(wrong, OutboundKind.REPLY, "one"));
    await().until(() -> !line.bean(Senders.class).stopped().isEmpty());
    inOneTransaction(() -> {
      line.bean(Outbox.class)
          .plan(
              new Outbox.Planned(
                  people.get(1).id(),
                  1,
                  null,
                  OutboundKind.REPLY,
                  ChannelKind.SMS,
                  "too late",
                  Duration.ofMinutes(2),
                  null,
                  null));
      plan(people.get(1), OutboundKind.REPLY, "two");
      plan(people.get(2), OutboundKind.REPLY, "three");
    });
    line.system().advance(Duration.ofMinutes(3));
    await()
        .until(() ->
            line.column("SELECT status FROM outbox WHERE body = 'too late'")
                .equals(List.of("refused")));
    assertThat(SMS.all()).extracting(OutboundMessage::body).containsExactly("one");
    line.system().advance(Duration.ofMinutes(3));
    await().until(() -> SMS.all().size() == 4);
    assertThat(SMS.all())
        .extracting(OutboundMessage::body)
        .startsWith("one", "two")
        .containsExactlyInAnyOrder("one", "two", "three", "one");
    assertThat(line.bean(Senders.class).stopped()).isEmpty();
  }

  @Test
  void theOnlyTextOfAStoppedSenderIsTriedEveryFiveMinutes() {
    var only = people(1).getFirst();
    for (int i = 0; i < 3; i++) {
      SMS.then(
          only,
          message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "20003", Duration.ZERO));
    }
    inOneTransaction(() -> plan(only, OutboundKind.REPLY, "one"));
    for (int i = 1; i <= 3; i++) {
      var attempts = i;
      await().until(() -> putBack(only, attempts));
      line.system().advance(Duration.ofMinutes(5).plusSeconds(1));
    }
    await().until(() -> SMS.bodies(only).size() == 4);
    await().until(() -> line.bean(Senders.class).stopped().isEmpty());
  }

  @Test
  void aTextThatWasOnItsWayWhenTheSenderStoppedDoesNotLetItWorkAgain() {
    var two = people(2);
    var held = new AtomicBoolean();
    SMS.then(
        two.getFirst(),
        message -> {
          await().untilTrue(held);
          return TestChannel.accepted(message);
        });
    SMS.then(
        two.getLast(),
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "20003", Duration.ZERO));
    inOneTransaction(() -> plan(two.getFirst(), OutboundKind.REPLY, "one"));
    await().until(() -> SMS.attempts(two.getFirst(), "one") == 1);
    line.system().advance(Duration.ofSeconds(1));
    inOneTransaction(() -> plan(two.getLast(), OutboundKind.REPLY, "two"));
    await().until(() -> putBack(two.getLast(), 1));
    held.set(true);
    await()
        .until(() ->
            line.column(
                    "SELECT status FROM outbox WHERE body = 'one' AND participant_id = ?",
                    two.getFirst().id())
                .equals(List.of("accepted")));
    assertThat(line.bean(Senders.class).stopped()).hasSize(1);
    assertThat(putBack(two.getLast(), 1)).isTrue();
    line.system().advance(Duration.ofMinutes(6));
    await().until(() -> SMS.bodies(two.getLast()).equals(List.of("two", "two")));
  }

  /** Whoever sends stands still while they mark the text, and the sender stops meanwhile. */
  @Test
  void aTextThatStoodStillWhileItsSenderStoppedWaitsLikeTheOthers() throws SQLException {
    var only = people(1).getFirst();
    anotherNodeHoldsTheSender();
    inOneTransaction(() -> plan(only, OutboundKind.REPLY, "one"));
    try (var holder = LockHolder.of(line)) {
      holder.update(
          "UPDATE outbox SET reason = 'held' WHERE open = TRUE AND participant_id = ?", only.id());
      theOtherNodeDies();
      holder.awaitWaiting();
      line.system().advance(NextDelivery.FRESH.plusSeconds(1));
      var now = OffsetDateTime.ofInstant(line.system().instant(), ZoneOffset.UTC);
      holder.update(
          "UPDATE sender SET stopped_at = ?, stopped_code = '20003', try_at = ? WHERE channel = 'sms'",
          now,
          now.plusMinutes(5));
      // The queue renews its lease on the sender: no round that began before still releases texts.
      holder.awaitWaiting(2);
      holder.commit();
    }
    await()
        .until(() ->
            !line.rows(
                    "SELECT id FROM outbox WHERE participant_id = ? AND status = 'planned'"
                        + " AND sending_at IS NOT NULL",
                    only.id())
                .isEmpty());
    assertThat(SMS.all()).isEmpty();
    line.system().advance(Duration.ofMinutes(6));
    await().until(() -> SMS.bodies(only).equals(List.of("one")));
  }

  @Test
  void aStartTriesAStoppedSenderAtOnce() {
    line = started();
    var only = people(1).getFirst();
    SMS.then(
        only,
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "20003", Duration.ZERO));
    inOneTransaction(() -> plan(only, OutboundKind.REPLY, "one"));
    await().until(() -> putBack(only, 1));
    line.stop();
    var again = line.second().bean(SMS).start();
    try {
      await().until(() -> SMS.bodies(only).size() == 2);
      await().until(() -> again.bean(Senders.class).stopped().isEmpty());
    } finally {
      again.stop();
    }
  }

  @Test
  void aTextWhoseChannelTheLineDoesNotHaveWaitsForIt() {
    line = started();
    var only = people(1).getFirst();
    anotherNodeHoldsTheSender();
    inOneTransaction(() -> plan(only, OutboundKind.REPLY, "one"));
    line.stop();
    var without = line.second().start();
    await()
        .until(() ->
            without
                .column("SELECT reason FROM outbox WHERE body = 'one' AND status = 'planned'")
                .equals(List.of("the channel sms is not configured")));
    assertThat(without.bean(Outbox.class).waiting())
        .as("it is not put off on purpose, so that the alert counts its whole time")
        .singleElement()
        .satisfies(queue -> assertThat(queue.due()).isEqualTo(queue.oldest()));
    without.stop();
    var again = line.second().bean(SMS).start();
    try {
      again.write("UPDATE sender SET held_until = ?", OffsetDateTime.parse("2000-01-01T00:00:00Z"));
      again.system().advance(Duration.ofMinutes(2));
      await().until(() -> SMS.bodies(only).equals(List.of("one")));
    } finally {
      again.stop();
    }
  }

  private boolean putBack(Participant of, int attempts) {
    return !line.rows(
            "SELECT id FROM outbox WHERE participant_id = ? AND attempts = ? AND status = 'planned' AND not_before IS NOT NULL",
            of.id(),
            attempts)
        .isEmpty();
  }

  /** H2 tells how it finds the rows of a statement; whoever looks does so every second. */
  @Test
  void whatIsPutOffIsNotLookedAtUntilItsTimeComes() {
    var file =
        RunningLine.onFile(SenderQueueTest.class)
            .bean(TestChannel.at(ChannelKind.SMS, PACE))
            .bean(new SqlCounts())
            .start();
    try {
      var now = OffsetDateTime.parse("2026-11-21T07:15:00Z");
      file.write(
          """
          INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, planned_at, not_before,
                              said_at, expires_at)
          SELECT concat('dlv_', x), concat('conv_', x), 'prompt', 'sms', 'Walk.', 'planned', TRUE, 1,
                 now(), '2999-01-01 00:00:00+00', now(), '2999-01-02 00:00:00+00' FROM system_range(1, 3000) AS t (x)\
          """);
      file.write("ANALYZE");
      var heads = plan(file, "sender-sms", "SELECT h.*", "sms", now, 5, "sms", now, now, 5, 5);
      var due =
          plan(
              file,
              "outbox-poll",
              "SELECT o.participant_id",
              new String[] {"sms"},
              new String[] {"unknown"},
              new String[] {"sms"},
              new String[] {"unknown"},
              now,
              1000);
      assertThat(List.of(heads, due))
          .allSatisfy(plan ->
              assertThat(plan)
                  .containsPattern("outbox_line:[^*]*not_before IS NULL")
                  .containsPattern("outbox_line:[^*]*not_before <= "));
    } finally {
      file.close();
    }
  }

  private static String plan(RunningLine of, String thread, String beginning, Object... arguments) {
    var sql = of.bean(SqlCounts.class);
    await().until(() -> sql.of(thread).stream().anyMatch(said -> said.startsWith(beginning)));
    var statement =
        sql.of(thread).stream()
            .filter(said -> said.startsWith(beginning))
            .findFirst()
            .orElseThrow();
    return of.rows("EXPLAIN " + statement, arguments).getFirst().values().toString();
  }
}
