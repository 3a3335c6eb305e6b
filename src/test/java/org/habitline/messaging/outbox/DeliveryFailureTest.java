package org.habitline.messaging.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.habitline.RunningLine;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.Template;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What follows from each kind of error, in the answer to a send and in a report that comes later.
 */
final class DeliveryFailureTest {

  private static final Template TEMPLATE =
      new Template("HX" + "0".repeat(32), Map.of("1", "Robin"));
  private static final Template BUTTONS = new Template("HX" + "1".repeat(32), Map.of());

  private static final TestChannel sms = new TestChannel(ChannelKind.SMS);
  private static final TestChannel whatsapp = new TestChannel(ChannelKind.WHATSAPP);
  private static RunningLine line;
  private Participant robin;

  @BeforeAll
  static void start() {
    line = RunningLine.in(DeliveryFailureTest.class).bean(sms).bean(whatsapp).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void greet() {
    robin = line.enrol(ChannelKind.SMS);
    line.awaitTurn(robin, 1);
    awaitSettled();
    forget();
  }

  @AfterEach
  void forget() {
    sms.forget();
    whatsapp.forget();
    line.fake().forget();
  }

  private void awaitSettled() {
    await()
        .until(() ->
            line.rows("SELECT id FROM outbox WHERE open = TRUE AND not_before IS NULL").isEmpty());
  }

  private static void plan(Outbox.Planned text) {
    var transactions = line.bean(Transactions.class);
    transactions.write(() -> {
      line.bean(Outbox.class).plan(text);
    });
  }

  private void plans(OutboundKind kind, String body) {
    plan(new Outbox.Planned(robin.id(), 1, null, kind, ChannelKind.SMS, body));
  }

  private void plansOnWhatsApp(
      String body, @Nullable Template template, @Nullable Template buttons) {
    plan(
        new Outbox.Planned(
            robin.id(),
            1,
            null,
            OutboundKind.REPLY,
            ChannelKind.WHATSAPP,
            body,
            Duration.ofHours(24),
            template,
            buttons));
  }

  private List<Map<String, Object>> deliveries(String body) {
    return line.rows(
        "SELECT * FROM outbox WHERE participant_id = ? AND body = ? ORDER BY seq",
        robin.id(),
        body);
  }

  private Map<String, Object> awaitStatus(String body, String status) {
    await().until(() -> status.equals(deliveries(body).getLast().get("status")));
    return deliveries(body).getLast();
  }

  /** The provider says later that it could not deliver what it took. */
  private void fails(String body, DeliveryFailure fate) {
    var row = awaitStatus(body, "accepted");
    line.bean(DeliveryReports.class)
        .accept(
            new DeliveryReport(
                String.valueOf(row.get("provider_id")),
                "undelivered",
                DeliveryStatus.UNDELIVERED,
                "30003",
                fate));
  }

  private Participant robinNow() {
    return line.bean(Participants.class).find(robin.id()).orElseThrow();
  }

  @Test
  void whatTheProviderCouldNotDeliverIsSentOnceMoreAndThenNoMore() {
    plans(OutboundKind.REPLY, "One.");
    fails("One.", DeliveryFailure.ONCE_MORE);
    assertThat(deliveries("One."))
        .extracting(row -> row.get("status"))
        .containsExactly("undelivered", "planned");
    line.system().advance(Duration.ofMinutes(16));
    fails("One.", DeliveryFailure.ONCE_MORE);
    assertThat(deliveries("One."))
        .extracting(row -> row.get("status"))
        .containsExactly("undelivered", "undelivered");
    assertThat(sms.bodies(robin)).containsExactly("One.", "One.");
  }

  @Test
  void whatIsOverTheDaysLimitWaitsForTheNextDayAndStaffAreTold() {
    // 08:15 in Berlin; the allowed hours begin at 08:00.
    sms.then(
        robin,
        message -> new Delivery.Deferred(DeliveryFailure.NEXT_DAY, "63038", Duration.ofSeconds(2)));
    plans(OutboundKind.REPLY, "One.");
    await().until(() -> "configuration: 63038".equals(deliveries("One.").getLast().get("reason")));
    assertThat(stopped())
        .singleElement()
        .satisfies(sender -> assertThat(sender.code()).isEqualTo("63038"));
    var row = deliveries("One.").getLast();
    assertThat(row).containsEntry("status", "planned");
    var waits = Duration.between(line.system().instant(), instant(row.get("not_before")));
    assertThat(waits).isBetween(Duration.ofHours(12), Duration.ofHours(24));
    line.system().advance(waits.minusMinutes(30));
    assertThat(deliveries("One.").getLast()).containsEntry("status", "planned");
    line.system().advance(Duration.ofMinutes(35));
    awaitStatus("One.", "accepted");
    assertThat(stopped()).isEmpty();

    plans(OutboundKind.REPLY, "Two.");
    fails("Two.", DeliveryFailure.NEXT_DAY);
    await().until(() -> deliveries("Two.").size() == 2);
    assertThat(
            Duration.between(
                line.system().instant(), instant(deliveries("Two.").getLast().get("not_before"))))
        .isBetween(Duration.ofHours(12), Duration.ofHours(24));
    assertThat(stopped()).hasSize(1);
    line.system().advance(waits.plusMinutes(5));
    var again = String.valueOf(awaitStatus("Two.", "accepted").get("provider_id"));
    line.bean(DeliveryReports.class)
        .accept(new DeliveryReport(again, "sent", DeliveryStatus.SENT, null, null));
    assertThat(stopped()).isEmpty();
  }

  private static Instant instant(@Nullable Object column) {
    return switch (column) {
      case OffsetDateTime time -> time.toInstant();
      case Timestamp time -> time.toInstant();
      case null, default -> throw new IllegalStateException("No instant: " + column);
    };
  }

  @Test
  void whatWasNeverProcessedIsSentAgainLaterAndLater() {
    plans(OutboundKind.REPLY, "One.");
    for (int i = 0; i < 5; i++) {
      fails("One.", DeliveryFailure.NEVER_PROCESSED);
      assertThat(deliveries("One.").getLast()).containsEntry("status", "planned");
      line.system().advance(Duration.ofMinutes(10));
    }
    fails("One.", DeliveryFailure.NEVER_PROCESSED);
    assertThat(deliveries("One.").getLast()).containsEntry("status", "undelivered");
    assertThat(sms.bodies(robin)).hasSize(6);
  }

  @Test
  void aTextNeverArrivesBehindOneThatWasToComeLater() {
    plans(OutboundKind.REPLY, "One.");
    plans(OutboundKind.REPLY, "Two.");
    awaitStatus("Two.", "accepted");
    fails("One.", DeliveryFailure.NEVER_PROCESSED);
    assertThat(deliveries("One.")).hasSize(1);
  }

  @Test
  void aTextThatIsSentAgainKeepsItsPlace() {
    plans(OutboundKind.REPLY, "One.");
    awaitStatus("One.", "accepted");
    sms.defer(robin, Duration.ofHours(1));
    plans(OutboundKind.REPLY, "Two.");
    line.awaitPutOff(robin);
    fails("One.", DeliveryFailure.NEVER_PROCESSED);
    line.system().advance(Duration.ofHours(1));
    awaitStatus("Two.", "accepted");
    assertThat(sms.bodies(robin)).containsExactly("One.", "Two.", "One.", "Two.");
  }

  @Test
  void aTextIsNotSentAgainToWhoeverLeftMeanwhile() {
    plans(OutboundKind.REPLY, "One.");
    fails("One.", DeliveryFailure.ONCE_MORE);
    line.text(robin, "STOP");
    assertThat(deliveries("One.").getLast())
        .containsEntry("status", "refused")
        .containsEntry("reason", "opted out");
  }

  @Test
  void aTextThatWasWithheldWhileItWasBeingSentIsNotSentAgain() {
    sms.then(
        robin,
        message -> {
          becomes(ParticipantStatus.PAUSED);
          becomes(ParticipantStatus.ACTIVE);
          return TestChannel.accepted(message);
        });
    plans(OutboundKind.REPLY, "One.");
    fails("One.", DeliveryFailure.NEVER_PROCESSED);
    assertThat(deliveries("One."))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("withheld", "paused"));
  }

  @Test
  void aTextInDistressIsTakenWhileAMessageOfTheCoachIsBeingSent() {
    sms.then(
        robin,
        message -> {
          line.text(robin, "I want to kill myself tonight");
          return TestChannel.accepted(message);
        });
    plans(OutboundKind.REPLY, "One.");
    await()
        .until(() ->
            sms.bodies(robin).stream().anyMatch(body -> body.startsWith("This is an automated")));
    fails("One.", DeliveryFailure.NEVER_PROCESSED);
    assertThat(deliveries("One."))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("withheld", CoachingPause.REASON));
  }

  private void becomes(ParticipantStatus status) {
    var _ = line.bean(Participants.class).update(robin.id(), ParticipantChange.ofStatus(status));
  }

  @ParameterizedTest
  @EnumSource(
      value = DeliveryFailure.class,
      names = {"BAD_NUMBER", "FINAL", "OPTED_OUT"})
  void whatIsFinalIsNotSentAgain(DeliveryFailure fate) {
    plans(OutboundKind.REPLY, "One.");
    fails("One.", fate);
    assertThat(deliveries("One."))
        .extracting(row -> row.get("status"))
        .containsExactly("undelivered");
    assertThat(robinNow().optedOut()).isEqualTo(fate == DeliveryFailure.OPTED_OUT);
  }

  private static List<Senders.Stopped> stopped() {
    return line.bean(Senders.class).stopped();
  }

  @Test
  void aSenderThatIsNotInOrderStopsAndKeepsItsTexts() {
    sms.then(
        robin,
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "30003", Duration.ZERO));
    plans(OutboundKind.REPLY, "One.");
    await().until(() -> !stopped().isEmpty());
    assertThat(stopped())
        .extracting(Senders.Stopped::channel, Senders.Stopped::code)
        .containsExactly(org.assertj.core.api.Assertions.tuple(ChannelKind.SMS, "30003"));
    line.system().advance(Duration.ofMinutes(6));
    awaitStatus("One.", "accepted");
    await().until(() -> stopped().isEmpty());
    assertThat(line.column("SELECT type FROM event WHERE type LIKE 'sender.%' ORDER BY seq"))
        .endsWith("sender.stopped", "sender.works");
  }

  @Test
  void aSenderWhoseFailuresAreReportedLaterIsNotProvenByWhatIsTaken() {
    plans(OutboundKind.REPLY, "One.");
    fails("One.", DeliveryFailure.MISCONFIGURED);
    assertThat(stopped()).hasSize(1);
    await().until(() -> sms.attempts(robin, "One.") == 2);
    var sid = String.valueOf(awaitStatus("One.", "accepted").get("provider_id"));
    assertThat(stopped()).hasSize(1);
    line.bean(DeliveryReports.class)
        .accept(new DeliveryReport(sid, "delivered", DeliveryStatus.DELIVERED, null, null));
    assertThat(stopped()).isEmpty();
  }

  @Test
  void whatIsDeliveredOfBeforeSaysNothingOfASenderThatStoppedSince() {
    plans(OutboundKind.REPLY, "Before.");
    var sid = String.valueOf(awaitStatus("Before.", "accepted").get("provider_id"));
    line.system().advance(Duration.ofMinutes(1));
    sms.then(
        robin,
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "20003", Duration.ZERO));
    plans(OutboundKind.REPLY, "One.");
    await().until(() -> !stopped().isEmpty());
    line.bean(DeliveryReports.class)
        .accept(new DeliveryReport(sid, "delivered", DeliveryStatus.DELIVERED, null, null));
    assertThat(stopped()).hasSize(1);
    line.system().advance(Duration.ofMinutes(6));
    awaitStatus("One.", "accepted");
    assertThat(stopped()).isEmpty();
  }

  @Test
  void aDestinationThatTheSenderMayNotReachDoesNotStopItForEver() {
    sms.then(
        robin,
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "21408", Duration.ZERO));
    sms.then(
        robin,
        message -> new Delivery.Deferred(DeliveryFailure.MISCONFIGURED, "21408", Duration.ZERO));
    plans(OutboundKind.REPLY, "One.");
    await().until(() -> !stopped().isEmpty());
    var wren = line.enrol(ChannelKind.SMS);
    line.awaitTurn(wren, 1);
    await().until(() -> stopped().isEmpty());
    line.system().advance(Duration.ofMinutes(6));
    assertThat(awaitStatus("One.", "refused").get("reason"))
        .asString()
        .contains("21408", "although the provider accepts other messages");
    assertThat(stopped()).isEmpty();
  }

  @Test
  void aTextThatIsSentAgainLaterDoesNotHoldUpAnAnswer() {
    plans(OutboundKind.REPLY, "One.");
    fails("One.", DeliveryFailure.ONCE_MORE);
    plans(OutboundKind.REPLY, "Two.");
    awaitStatus("Two.", "accepted");
    assertThat(sms.bodies(robin)).containsExactly("One.", "One.", "Two.");
  }

  @Test
  void aTextThatWaitsOnOneChannelDoesNotHoldUpAnotherChannel() {
    line.text(robin, ChannelKind.WHATSAPP, "hello");
    await().until(() -> !whatsapp.bodies(robin).isEmpty());
    awaitSettled();
    sms.defer(robin, Duration.ofHours(1));
    plans(OutboundKind.REPLY, "One.");
    line.awaitPutOff(robin);
    plansOnWhatsApp("Two.", null, null);
    awaitStatus("Two.", "accepted");
    assertThat(deliveries("One.").getLast()).containsEntry("status", "planned");
    line.system().advance(Duration.ofHours(1));
    awaitStatus("One.", "accepted");
  }

  @Test
  void aTextInManyPartsIsOneTemplate() {
    plansOnWhatsApp("A long text. ".repeat(200), TEMPLATE, null);
    await()
        .until(() ->
            line.rows("SELECT id FROM outbox WHERE participant_id = ? AND open = TRUE", robin.id())
                .isEmpty());
    assertThat(whatsapp.all()).extracting(OutboundMessage::template).containsExactly(TEMPLATE);
  }

  @Test
  void whoWasErasedIsNotBroughtBackByAProvidersList() {
    var inbox = line.bean(Inbox.class);
    var text = new IncomingText("SM-erased", robin.phone(), ChannelKind.SMS, "hello");
    assertThat(inbox.accept(text)).isInstanceOf(Acceptance.Stored.class);
    line.awaitTurn(robin, 2);
    line.bean(Participants.class).leave(robin.id(), false);
    await().until(() -> line.rows("SELECT id FROM participant WHERE id = ?", robin.id()).isEmpty());
    assertThat(inbox.accept(text)).isInstanceOf(Acceptance.Repeated.class);
    assertThat(line.rows("SELECT sender, body FROM unclaimed_text WHERE provider_id = 'SM-erased'"))
        .containsExactly(Map.of("sender", "", "body", ""));
  }

  @Test
  void aCarriersQuietHoursAreWaitedFor() {
    sms.then(
        robin,
        message -> new Delivery.Deferred(DeliveryFailure.QUIET_HOURS, "30610", Duration.ZERO));
    plans(OutboundKind.REPLY, "One.");
    await().until(() -> deliveries("One.").getLast().get("not_before") != null);
    line.system().advance(Duration.ofMinutes(14));
    assertThat(sms.bodies(robin)).containsExactly("One.");
    line.system().advance(Duration.ofMinutes(2));
    awaitStatus("One.", "accepted");
  }

  @Test
  void whatIsNotWorthSendingAnyMoreIsNotSent() {
    sms.defer(robin, Duration.ofHours(1));
    plan(
        new Outbox.Planned(
            robin.id(),
            1,
            null,
            OutboundKind.REPLY,
            ChannelKind.SMS,
            "One.",
            Duration.ofMinutes(30),
            null,
            null));
    line.awaitPutOff(robin);
    line.system().advance(Duration.ofHours(1));
    assertThat(awaitStatus("One.", "refused"))
        .containsEntry("reason", "it waited for more than 30 minutes");
  }

  @Test
  void aPromptThatWaitedIntoTheNightIsNotSent() {
    sms.defer(robin, Duration.ofHours(1));
    plans(OutboundKind.PROMPT, "One.");
    line.awaitPutOff(robin);
    var night = Duration.ofHours(14);
    line.study().advance(night);
    line.system().advance(Duration.ofHours(1));
    assertThat(awaitStatus("One.", "refused"))
        .containsEntry("reason", "it waited until it was outside the allowed hours");
    line.study().advance(Duration.ofDays(1).minus(night));
  }

  /** At noon; then an hour passes in which it cannot leave, and it is the middle of the night. */
  private Duration scriptedUntilNight(String body) {
    sms.defer(robin, Duration.ofHours(1));
    plans(OutboundKind.SCRIPTED, body);
    line.awaitPutOff(robin);
    var night = Duration.ofHours(14);
    line.study().advance(night);
    line.system().advance(Duration.ofHours(1).plusSeconds(1));
    await()
        .until(() ->
            "it could not be sent in time and waits for the allowed hours"
                .equals(deliveries(body).getLast().get("reason")));
    assertThat(sms.attempts(robin, body)).isEqualTo(1);
    return night;
  }

  @Test
  void aScriptsTextThatCouldNotLeaveInTimeWaitsForTheDay() {
    var night = scriptedUntilNight("One.");
    line.study().advance(Duration.ofDays(1).minus(night));
    line.system().advance(Duration.ofHours(10));
    awaitStatus("One.", "accepted");
    assertThat(sms.attempts(robin, "One.")).isEqualTo(2);
  }

  @Test
  void whatStaffWriteToManyByNightWaitsForTheDay() {
    var night = Duration.ofHours(16);
    line.study().advance(night);
    plan(
        new Outbox.Planned(robin.id(), null, null, OutboundKind.STAFF, ChannelKind.SMS, "One.")
            .asOneOfMany());
    await().until(() -> "allowed_hours".equals(deliveries("One.").getLast().get("hold")));
    assertThat(sms.bodies(robin)).isEmpty();
    line.study().advance(Duration.ofDays(1).minus(night));
    line.system().advance(Duration.ofHours(12));
    awaitStatus("One.", "accepted");
  }

  @Test
  void anAnswerByNightTakesAScriptsTextThatWaitsForTheDayAlong() {
    var night = scriptedUntilNight("One.");
    plans(OutboundKind.REPLY, "Two.");
    awaitStatus("Two.", "accepted");
    assertThat(sms.bodies(robin)).endsWith("One.", "Two.");
    line.study().advance(Duration.ofDays(1).minus(night));
  }

  @Test
  void aScriptsTextLeavesByNightIfThatIsItsTime() {
    var night = Duration.ofHours(14);
    line.study().advance(night);
    plans(OutboundKind.SCRIPTED, "One.");
    awaitStatus("One.", "accepted");
    line.study().advance(Duration.ofDays(1).minus(night));
  }

  @Test
  void withinTheWindowFreeWordsGoOutAndOutsideOnlyATemplate() {
    line.text(robin, ChannelKind.WHATSAPP, "hello");
    await().until(() -> !whatsapp.bodies(robin).isEmpty());
    awaitSettled();
    whatsapp.forget();
    plansOnWhatsApp("One.", TEMPLATE, null);
    plansOnWhatsApp("Two.", TEMPLATE, BUTTONS);
    awaitStatus("Two.", "accepted");
    line.system().advance(Duration.ofHours(24));
    plansOnWhatsApp("Three.", TEMPLATE, BUTTONS);
    awaitStatus("Three.", "accepted");
    plansOnWhatsApp("Four.", null, BUTTONS);
    assertThat(awaitStatus("Four.", "refused").get("reason"))
        .asString()
        .startsWith("window closed");
    assertThat(whatsapp.all())
        .extracting(message -> Objects.requireNonNullElse(message.template(), message.body()))
        .containsExactly("One.", BUTTONS, TEMPLATE);
  }

  @Test
  void aWindowThatTheProviderFindsClosedIsAnsweredWithTheTemplate() {
    line.text(robin, ChannelKind.WHATSAPP, "hello");
    await().until(() -> !whatsapp.bodies(robin).isEmpty());
    awaitSettled();
    whatsapp.forget();
    whatsapp.then(robin, message -> new Delivery.Refused(DeliveryFailure.WINDOW_CLOSED, "63016"));
    plansOnWhatsApp("One.", TEMPLATE, null);
    awaitStatus("One.", "accepted");
    plansOnWhatsApp("Two.", TEMPLATE, null);
    fails("Two.", DeliveryFailure.WINDOW_CLOSED);
    awaitStatus("Two.", "accepted");
    assertThat(whatsapp.all())
        .extracting(message -> Objects.requireNonNullElse(message.template(), message.body()))
        .containsExactly("One.", TEMPLATE, "Two.", TEMPLATE);
    fails("Two.", DeliveryFailure.WINDOW_CLOSED);
    assertThat(deliveries("Two.")).hasSize(2);
  }

  @Test
  void aTextOfWhichNothingIsHeardIsAskedAbout() {
    plans(OutboundKind.REPLY, "One.");
    var sid = String.valueOf(awaitStatus("One.", "accepted").get("provider_id"));
    sms.reports(new DeliveryReport(sid, "delivered", DeliveryStatus.DELIVERED, null, null));
    line.system().advance(Duration.ofMinutes(11));
    line.bean(StaleDeliveries.class).ask();
    assertThat(awaitStatus("One.", "delivered").get("ask_at")).isNull();
    assertThat(sms.asked()).contains(sid);
  }

  @Test
  void aTextThatWentOutOfSightIsFoundAfterAll() {
    sms.then(robin, message -> new Delivery.Unknown("timed out"));
    sms.found(robin, new LookUp.CannotTell("down"));
    sms.found(robin, new LookUp.CannotTell("down"));
    sms.found(robin, new LookUp.Sent("SM77"));
    plans(OutboundKind.REPLY, "One.");
    await().until(() -> sms.lookUps(robin) == 1);
    line.system().advance(Duration.ofMinutes(11));
    awaitStatus("One.", "unknown");
    await().until(() -> Boolean.FALSE.equals(deliveries("One.").getLast().get("open")));
    // Asked again and again: the first answer may have come when the time was over already.
    await()
        .until(() -> {
          line.system().advance(Duration.ofMinutes(11));
          line.bean(StaleDeliveries.class).ask();
          return "accepted".equals(deliveries("One.").getLast().get("status"));
        });
    assertThat(deliveries("One.").getLast()).containsEntry("provider_id", "SM77");
    assertThat(sms.bodies(robin)).containsExactly("One.");
  }
}
