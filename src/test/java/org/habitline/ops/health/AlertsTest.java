package org.habitline.ops.health;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.ClosedTurn;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.ops.access.RefusedEntries;
import org.habitline.ops.database.TestSpace;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.staff.today.ServiceHealth;
import org.habitline.storage.Transactions;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.LoggerFactory;

/** What an operator is told: once when it begins, once when it is over, and nothing of anybody. */
@Isolated("It reads the log of the whole process.")
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
final class AlertsTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String WORDS = "my secret words";

  private static final TestSpace SPACE = TestSpace.of(2L << 30);

  private static RunningLine line;

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeAll
  static void build() {
    // Nothing is answered, sent or rung, because the line is never started.
    line =
        RunningLine.in(AlertsTest.class).bean(new TestChannel(ChannelKind.SMS)).bean(SPACE).build();
  }

  @AfterAll
  static void close() {
    line.close();
  }

  @BeforeEach
  void listen() {
    lines.start();
    logger().addAppender(lines);
  }

  @AfterEach
  void allIsWell() {
    logger().detachAppender(lines);
    assertThat(told()).allSatisfy(told -> assertThat(told).doesNotContain(WORDS, "+1206", "conv_"));
    var rows = Rows.of(line);
    rows.forgetEverybody();
    List.of("sender", "sending_stop", "stray_text").forEach(it -> rows.write("DELETE FROM " + it));
    line.system().advance(ModelFailures.REMEMBERED.plus(Alerts.REFUSALS_WITHIN).plus(MINUTE));
    var now = line.system().instant();
    line.bean(ProviderClock.class).said(now, now, now);
    check();
    assertThat(line.bean(Alerts.class).raised()).isEmpty();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(Alerts.class);
  }

  private List<String> told() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private void check() {
    line.bean(Alerts.class).check();
  }

  /** Something is told once, however often it is looked at. */
  private void tells(Level level, String begins) {
    check();
    check();
    assertThat(told()).singleElement().asString().startsWith(begins);
    assertThat(lines.list.getFirst().getLevel()).isEqualTo(level);
    assertThat(line.bean(Alerts.class).raised()).hasSize(1);
  }

  /** Its end is told once. */
  private void ends(String words) {
    check();
    check();
    assertThat(told()).hasSize(2).last().asString().isEqualTo(words);
    assertThat(lines.list.getLast().getLevel()).isEqualTo(Level.INFO);
    assertThat(line.bean(Alerts.class).raised()).isEmpty();
  }

  private void tellsNothing() {
    check();
    assertThat(told()).isEmpty();
  }

  private void inOneTransaction(Runnable work) {
    var transactions = line.bean(Transactions.class);
    transactions.write(() -> {
      work.run();
    });
  }

  private Participant plannedText() {
    var robin = line.enrol(ChannelKind.SMS);
    inOneTransaction(() ->
        line.bean(Outbox.class)
            .plan(
                new Outbox.Planned(
                    robin.id(), null, null, OutboundKind.REPLY, ChannelKind.SMS, WORDS)));
    return robin;
  }

  private Timestamp after(Duration time) {
    return Timestamp.from(line.system().instant().plus(time));
  }

  @Test
  void aDiskThatGetsFullIsToldTwiceAndItsEndToo() {
    SPACE.has(900L << 20);
    tells(Level.WARN, "The disk of the data folder has less than 1 GB of free space (900 MB).");
    assertThat(line.bean(ServiceHealth.class).signs())
        .filteredOn(sign -> sign.what().equals("Disk"))
        .singleElement()
        .satisfies(sign -> assertThat(sign.sentence()).startsWith("Only 900 MB are free"));
    SPACE.has(199L << 20);
    check();
    check();
    assertThat(told())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("The disk of the data folder has less than 200 MB of free space (199 MB).");
    SPACE.has(2L << 30);
    check();
    assertThat(told())
        .contains(
            "The disk of the data folder has 1 GB of free space again",
            "The disk of the data folder has 200 MB of free space again");
    assertThat(line.bean(Alerts.class).raised()).isEmpty();
  }

  @Test
  void nothingIsToldOfALineThatHasNothingToDo() {
    tellsNothing();
  }

  @Test
  void aTextThatNobodyAnswersIsToldOf() {
    line.text(line.enrol(ChannelKind.SMS), WORDS);
    line.system().advance(Alerts.UNANSWERED_AFTER.minusSeconds(20));
    tellsNothing();
    line.system().advance(MINUTE);
    tells(Level.ERROR, "Texts are waiting for a reply (1, the oldest for 2 min). Check");
    line.write("UPDATE inbox SET status = 'done'");
    ends("Texts get replies in time again");
  }

  @Test
  void aTextThatDoesNotLeaveIsToldOf() {
    plannedText();
    line.system().advance(Alerts.UNSENT_AFTER.minus(MINUTE));
    tellsNothing();
    line.system().advance(MINUTE.multipliedBy(2));
    tells(Level.ERROR, "Messages by sms wait to be sent, the oldest for 11 min: participants");
    line.write("UPDATE outbox SET open = FALSE");
    ends("Messages are sent in time again");
  }

  @Test
  void aTextThatWaitsOnPurposeIsNotToldOf() {
    var robin = plannedText();
    line.system().advance(Alerts.UNSENT_AFTER.plus(MINUTE));
    line.write(
        "UPDATE outbox SET attempted_at = ?, not_before = ? WHERE participant_id = ?",
        after(Duration.ofHours(-8)),
        after(Duration.ofHours(1)),
        robin.id());
    tellsNothing();
    line.write("UPDATE outbox SET not_before = ?", after(MINUTE.multipliedBy(-5)));
    tellsNothing();
    line.write("UPDATE outbox SET attempted_at = NULL, not_before = NULL");
    line.write(
        "INSERT INTO sender (channel, stopped_at, stopped_code) VALUES ('sms', ?, '20003')",
        after(Duration.ZERO));
    tellsNothing();
    line.write("DELETE FROM sender");
    line.write(
        "INSERT INTO sending_stop (id, stopped_at, stopped_by, reason) VALUES (1, ?, 'admin', 'x')",
        after(Duration.ZERO));
    line.system().advance(Duration.ofSeconds(2));
    tellsNothing();
  }

  @Test
  void aTextThatIsTriedAgainAndAgainIsToldOf() {
    plannedText();
    line.system().advance(Alerts.UNSENT_AFTER.plus(MINUTE));
    line.write(
        "UPDATE outbox SET attempts = 9, attempted_at = ?, not_before = ?",
        after(MINUTE.negated()),
        after(MINUTE.multipliedBy(3)));
    tells(Level.ERROR, "Messages by sms wait to be sent, the oldest for 11 min");
  }

  @Test
  void turnsThatFailForWantOfAModelAreToldOf() {
    var failed = new ClosedTurn(InputKind.SAID, Outcome.MODEL_FAILED, 1, List.of(), List.of());
    for (int i = 1; i < Alerts.FAILURES; i++) {
      line.bean(ModelFailures.class).closed(failed);
    }
    line.bean(ModelFailures.class)
        .closed(new ClosedTurn(InputKind.SAID, Outcome.REPLIED, 1, List.of(), List.of()));
    tellsNothing();
    line.bean(ModelFailures.class).closed(failed);
    tells(Level.ERROR, "5 turns within 10 min failed because the model gave no usable answer");
    line.system().advance(ModelFailures.REMEMBERED.plus(MINUTE));
    ends("The model answers again");
  }

  @Test
  void manyCallsThatNobodySignedAreToldOf() {
    for (int i = 0; i < Alerts.REFUSALS; i++) {
      line.bean(RefusedCalls.class).refused();
    }
    tellsNothing();
    line.bean(RefusedCalls.class).refused();
    tells(Level.WARN, "11 webhook calls within 5 min were not signed with the account's token");
    line.system().advance(Alerts.REFUSALS_WITHIN.plus(MINUTE));
    ends("Webhook calls without a valid signature no longer arrive in large numbers");
    line.bean(RefusedCalls.class).refused();
    check();
    assertThat(told()).hasSize(2);
  }

  @Test
  void manyCallsForAnotherAccountOrNumberAreToldOf() {
    for (int i = 0; i < Alerts.REFUSALS; i++) {
      line.bean(RefusedCalls.class).notOurs();
    }
    tellsNothing();
    line.bean(RefusedCalls.class).notOurs();
    tells(
        Level.WARN,
        "11 webhook calls within 5 min were signed with the account's token, but were for");
    line.system().advance(Alerts.REFUSALS_WITHIN.plus(MINUTE));
    ends("Webhook calls for another account or number have stopped");
  }

  @Test
  void aClockThatIsNotTheProvidersIsToldOf() {
    var now = line.system().instant();
    var clock = line.bean(ProviderClock.class);
    clock.said(now.minusSeconds(30), now, now.plusSeconds(12));
    tellsNothing();
    clock.said(now.minusSeconds(31), now, now.plusSeconds(12));
    tells(Level.WARN, "This machine's clock and Twilio's differ by 31 s");
    assertThat(line.bean(StatusSummary.class).signs())
        .filteredOn(sign -> sign.what().equals("Clock"))
        .singleElement()
        .satisfies(sign -> assertThat(sign.sentence()).contains("31 s ahead of the provider's"));
    clock.said(now.plusSeconds(12), now, now.plusSeconds(12));
    ends("This machine's clock agrees with Twilio's again");
    clock.said(now.plusSeconds(43), now, now.plusSeconds(12));
    check();
    assertThat(told()).hasSize(3);
  }

  @Test
  void manyWrongKeysAreToldOf() {
    for (int i = 0; i < Alerts.REFUSED_ENTRIES; i++) {
      line.bean(RefusedEntries.class).refused(RefusedEntries.Door.KEY, "192.0.2.1");
    }
    tellsNothing();
    line.bean(RefusedEntries.class).refused(RefusedEntries.Door.PAGE, "192.0.2.2");
    tells(
        Level.WARN, "31 wrong keys, chat tokens or attempts to sign in were refused within 5 min");
    line.system().advance(Alerts.REFUSALS_WITHIN.plus(MINUTE));
    ends("Wrong keys no longer arrive in large numbers");
  }

  @Test
  void wakeUpsThatDoNotRingAreToldOf() {
    var robin = line.enrol(ChannelKind.SMS);
    inOneTransaction(() ->
        line.bean(Timers.class)
            .plan(
                new Timers.Plan(
                    robin.id(),
                    WakeupKind.TRANSITION,
                    line.study().instant().plus(MINUTE),
                    ZoneId.of("Europe/Berlin"),
                    "FEEDBACK")));
    line.study().advance(Alerts.LATE_AFTER);
    tellsNothing();
    line.study().advance(MINUTE.multipliedBy(2));
    tells(
        Level.ERROR,
        "Jobs are late (1, the first by 6 min): daily prompts and reminders are not sent on time");
    line.write("UPDATE wakeup SET status = 'cancelled'");
    ends("Jobs run on time again");
  }

  @Test
  void missedPromptsAreToldOf() {
    var due = Timestamp.from(line.study().instant().minus(Duration.ofHours(3)));
    line.write(
        "INSERT INTO occurrence (participant_id, local_date, slot, schedule_id, wall_time, zone, due_at, status,"
            + " pending) VALUES ('conv_1', '2026-11-21', 0, 's', '08:00', 'UTC', ?, 'missed', FALSE)",
        due);
    tells(Level.WARN, "Daily prompts were not sent on time and will not be sent (1 within 24 h)");
    line.study().advance(Backlog.LATELY);
    ends("No daily prompt was missed in the last 24 h");
  }

  @Test
  void textsThatWentOutOfHandsThatHadLostThemAreToldOf() {
    line.write(
        "INSERT INTO stray_text (delivery_id, participant_id, repeats, found_at) VALUES ('dlv_2', 'conv_1', 'dlv_1', ?)",
        after(Duration.ZERO));
    tells(
        Level.ERROR,
        "Messages were sent a second time, or after they were withdrawn (1 within 24 h)");
    line.system().advance(Backlog.LATELY.plus(MINUTE));
    ends("No message was sent twice or after it was withdrawn in the last 24 h");
  }

  @Test
  void aDatabaseThatCannotBeReadIsToldOf() {
    line.write("ALTER TABLE unclaimed_text RENAME TO elsewhere");
    tells(
        Level.ERROR,
        "The database cannot be read: participants get no replies and nothing is sent");
    line.write("ALTER TABLE elsewhere RENAME TO unclaimed_text");
    ends("The database can be read again");
  }
}
