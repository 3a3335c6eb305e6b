package org.habitline.messaging.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.habitline.LockHolder;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.AtOnce;
import org.habitline.messaging.Channels;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens to a text when the provider takes it, refuses it, is busy, or does not say. */
@Tag("database")
final class OutboxTest {

  private static final Duration HOUR = Duration.ofHours(1);

  /** Locks a message by its participant and body. */
  private static final String HOLD =
      "UPDATE outbox SET reason = 'held' WHERE participant_id = ? AND body = ?";

  /** Locks a participant, as everything does that sends a message again or records a failure. */
  private static final String HOLD_PARTICIPANT =
      "UPDATE address SET phone = phone WHERE id = (SELECT address_id FROM participant WHERE id = ?)";

  /** Plans a delivery again under a new id. */
  private static final String INSERT_AGAIN =
      """
      INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at,
                          said_at, expires_at, retry_of)
      SELECT CAST(? AS varchar), participant_id, turn, message_id, kind, channel, body, 'planned', TRUE, 0, planned_at,
             said_at, expires_at, id
      FROM outbox WHERE id = ?
      """;

  private static final TestChannel channel = new TestChannel(ChannelKind.SMS);
  private static RunningLine line;
  private Participant robin;

  @BeforeAll
  static void start() {
    line = RunningLine.in(OutboxTest.class).bean(channel).start();
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
  void forget() {
    channel.forget();
    line.fake().forget();
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

  private void awaitStatus(String body, String status) {
    await().until(() -> status.equals(delivery(body).get("status")));
  }

  private void becomes(ParticipantStatus status) {
    var _ = line.bean(Participants.class).update(robin.id(), ParticipantChange.ofStatus(status));
  }

  @Test
  void aTextThatIsTakenIsAcceptedUnderTheProvidersId() {
    says("One minute.");
    awaitStatus("One minute.", "accepted");
    assertThat(delivery("One minute.").get("provider_id")).asString().startsWith("provider_dlv_");
  }

  @Test
  void whatIsSentIsWhatIsStoredAndTheTranscriptHasWhatWasSaid() {
    var said =
        "“One minute” — that’s all it takes… Put the cup down, and walk to the window and back.";
    var folded =
        "\"One minute\" - that's all it takes... Put the cup down, and walk to the window and back.";
    says(said);
    awaitStatus(folded, "accepted");
    assertThat(channel.bodies(robin)).containsExactly(folded);
    assertThat(delivery(folded)).containsEntry("segments", 1).containsEntry("encoding", "gsm-7");
    assertThat(line.transcript(robin)).last().isEqualTo("assistant: " + said);
  }

  @Test
  void aTextInAnotherAlphabetIsCountedInIt() {
    var said = "привет ".repeat(20).strip();
    says(said);
    awaitStatus(said, "accepted");
    assertThat(delivery(said)).containsEntry("segments", 3).containsEntry("encoding", "ucs-2");
  }

  @Test
  void aTextThatIsRefusedIsNotTriedAgainAndTheNextGoesOut() {
    channel.refuse(robin, "landline");
    says("One.");
    awaitStatus("One.", "refused");
    says("Two.");
    awaitStatus("Two.", "accepted");
    assertThat(delivery("One.")).containsEntry("reason", "landline");
    assertThat(channel.bodies(robin)).containsExactly("One.", "Two.");
  }

  @Test
  void aTextThatHasToWaitHoldsBackTheOnesBehindIt() {
    channel.defer(robin, HOUR);
    says("One.");
    line.awaitPutOff(robin);
    says("Two.");
    assertThat(channel.bodies(robin)).containsExactly("One.");
    line.system().advance(HOUR);
    awaitStatus("Two.", "accepted");
    assertThat(channel.bodies(robin)).containsExactly("One.", "One.", "Two.");
    assertThat(delivery("One.")).containsEntry("attempts", 2);
  }

  @Test
  void aTextOfUnknownFateThatTheProviderHasIsNotSentAgain() {
    channel.then(robin, message -> new Delivery.Unknown("timed out"));
    channel.found(robin, new LookUp.Sent("SM42"));
    says("One.");
    awaitStatus("One.", "accepted");
    assertThat(delivery("One.")).containsEntry("provider_id", "SM42");
    assertThat(channel.bodies(robin)).containsExactly("One.");
  }

  @Test
  void aTextOfUnknownFateThatTheProviderDoesNotHaveIsSentAgain() {
    channel.then(robin, message -> new Delivery.Unknown("timed out"));
    channel.found(robin, new LookUp.NotSent());
    says("One.");
    awaitStatus("One.", "accepted");
    assertThat(channel.bodies(robin)).containsExactly("One.", "One.");
    assertThat(channel.lookUps(robin)).isEqualTo(1);
  }

  @Test
  void aTextOfUnknownFateIsLookedUpFromTheAgentThatItWasTriedFrom() {
    var agent = "rcs:example_agent";
    channel.then(robin, message -> new Delivery.Unknown("timed out"));
    channel.found(robin, new LookUp.CannotTell("by RCS"));
    channel.found(robin, new LookUp.NotSent());
    line.fake().then(Scripted.say("One."));
    line.bean(Inbox.class)
        .accept(
            new IncomingText(
                "SM-rcs-" + robin.id(),
                "rcs:" + robin.phone().e164(),
                robin.phone(),
                ChannelKind.SMS,
                "hello",
                null,
                "",
                new IncomingText.More(null, agent, null)));
    await().until(() -> channel.lookUps(robin) == 1);
    awaitStatus("One.", "unknown");
    // Their next text comes to the number.
    line.text(robin, "STOP");
    line.system().advance(Duration.ofSeconds(16));
    await().until(() -> channel.lookUps(robin) == 2);
    assertThat(channel.lookedUp(robin)).extracting(OutboundMessage::from).containsOnly(agent);
    assertThat(channel.all())
        .filteredOn(message -> message.body().equals("One."))
        .extracting(OutboundMessage::from)
        .containsExactly(agent);
  }

  @Test
  void aChannelThatBreaksLeavesTheFateUnknown() {
    channel.then(
        robin,
        message -> {
          throw new IllegalStateException("broken: " + message.body());
        });
    channel.found(robin, new LookUp.CannotTell("still broken"));
    says("One.");
    await().until(() -> channel.lookUps(robin) == 1);
    awaitStatus("One.", "unknown");
    assertThat(channel.bodies(robin)).containsExactly("One.");
    line.system().advance(HOUR);
    awaitStatus("One.", "accepted");
  }

  @Test
  void aFateThatNobodyCanTellStaysUnknownAndNothingIsSentTwice() {
    channel.then(robin, message -> new Delivery.Unknown("timed out"));
    channel.found(robin, new LookUp.CannotTell("down"));
    channel.found(robin, new LookUp.CannotTell("down"));
    says("One.");
    says("Two.");
    await().until(() -> channel.lookUps(robin) == 1);
    line.awaitPutOff(robin);
    line.system().advance(HOUR);
    awaitStatus("Two.", "accepted");
    assertThat(delivery("One."))
        .containsEntry("status", "unknown")
        .containsEntry("open", false)
        .containsEntry("reason", "down");
    assertThat(channel.bodies(robin)).containsExactly("One.", "Two.");
  }

  @Test
  void whatWaitedWhenSomeoneSaidStopDoesNotGoOutWhenTheyComeBack() {
    channel.defer(robin, HOUR);
    says("One.");
    line.awaitPutOff(robin);
    line.text(robin, "STOP");
    assertThat(delivery("One."))
        .containsEntry("status", "refused")
        .containsEntry("reason", "opted out");
    line.awaitTurn(robin, 3);
    line.system().advance(HOUR);
    line.answered(robin, "START");
    says("Two.");
    awaitStatus("Two.", "accepted");
    assertThat(channel.bodies(robin)).containsExactly("One.", "Two.");
  }

  @Test
  void whatWaitedWhenSomeoneWasPausedDoesNotGoOutWhenTheyResume() {
    channel.defer(robin, HOUR);
    says("One.");
    line.awaitPutOff(robin);
    becomes(ParticipantStatus.PAUSED);
    becomes(ParticipantStatus.ACTIVE);
    assertThat(delivery("One."))
        .containsEntry("status", "refused")
        .containsEntry("reason", "paused");
  }

  @Test
  void theAnswerToHelpGoesOutThoughStopFollows() {
    var help = line.bean(FlowCatalog.class).defaultFlow().texts().help();
    channel.defer(robin, HOUR);
    line.text(robin, "HELP");
    line.awaitPutOff(robin);
    line.text(robin, "STOP");
    line.system().advance(HOUR);
    await().until(() -> channel.attempts(robin, help) == 2);
    awaitStatus(help, "accepted");
  }

  @Test
  void aStopFromANumberThatNobodyHasHoldsForWhoeverIsEnrolledWithIt() {
    var inbox = line.bean(Inbox.class);
    var stranger = line.strangersNumber();
    assertThat(inbox.accept(new IncomingText("SM-stranger", stranger, ChannelKind.SMS, "stop")))
        .isInstanceOf(Acceptance.UnknownSender.class);
    var enrolled = line.enrol(ChannelKind.SMS, "Wren", stranger);
    assertThat(enrolled.optedOut()).isTrue();
    line.awaitTurn(enrolled, 1);
    assertThat(channel.bodies(enrolled)).isEqualTo(List.of());
  }

  @Test
  void whoeverHoldsAParticipantDoesNotWaitForTheRecordOfATextThatWaitsForThem() {
    var held = new AtomicBoolean();
    channel.then(
        robin,
        message -> {
          await().untilTrue(held);
          return TestChannel.accepted(message);
        });
    inOneTransaction(() ->
        line.bean(Outbox.class)
            .plan(
                new Outbox.Planned(
                    robin.id(), 1, null, OutboundKind.PROMPT, ChannelKind.SMS, "One.")));
    await().until(() -> channel.attempts(robin, "One.") == 1);
    inOneTransaction(() -> {
      line.bean(Participants.class).hold(robin.id());
      held.set(true);
      await().during(Duration.ofMillis(300)).until(this::nobodyHoldsItsText);
    });
    awaitStatus("One.", "accepted");
  }

  private boolean nobodyHoldsItsText() throws SQLException {
    try (var holder = LockHolder.of(line)) {
      return holder.locks(
          "SELECT id FROM outbox WHERE body = 'One.' AND participant_id = ? FOR UPDATE SKIP LOCKED",
          robin.id());
    }
  }

  /** Texts of robin, put off by the provider, that nobody touches before the time is over. */
  private void saysAndIsPutOff(String body) {
    channel.defer(robin, HOUR);
    says(body);
    line.awaitPutOff(robin);
  }

  /**
   * Whoever sends stands still while they mark the text, and the participant stops all texts
   * meanwhile.
   */
  @Test
  void aSenderWhoStoodStillTakesTheTextAgainAndHeedsTheStop() throws SQLException {
    saysAndIsPutOff("One.");
    try (var holder = LockHolder.of(line)) {
      assertThat(holder.update(HOLD, robin.id(), "One.")).isEqualTo(1);
      line.system().advance(HOUR);
      holder.awaitWaiting();
      holder.update(
          "UPDATE address SET opted_out = TRUE, opted_out_at = now(), opted_out_by = 'keyword' WHERE id = (SELECT address_id FROM participant WHERE id = ?)",
          robin.id());
      line.system().advance(NextDelivery.FRESH.plusSeconds(1));
      holder.commit();
    }
    awaitStatus("One.", "refused");
    assertThat(delivery("One.")).containsEntry("reason", "opted out").containsEntry("attempts", 1);
    assertThat(channel.bodies(robin)).containsExactly("One.");
  }

  /** The same, and nothing happened meanwhile. */
  @Test
  void aSenderWhoStoodStillSendsWhatIsStillWanted() throws SQLException {
    saysAndIsPutOff("One.");
    try (var holder = LockHolder.of(line)) {
      holder.update(HOLD, robin.id(), "One.");
      line.system().advance(HOUR);
      holder.awaitWaiting();
      line.system().advance(NextDelivery.FRESH.plusSeconds(1));
      holder.commit();
    }
    awaitStatus("One.", "accepted");
    assertThat(delivery("One.")).containsEntry("attempts", 2);
    assertThat(channel.bodies(robin)).containsExactly("One.", "One.");
  }

  /** Everybody who needs both takes the participant first; else two would wait in a ring. */
  @Test
  void aSenderWhoStoodStillHoldsTheParticipantBeforeTheirText() throws SQLException {
    saysAndIsPutOff("One.");
    try (var text = LockHolder.of(line);
        var participant = LockHolder.of(line)) {
      text.update(HOLD, robin.id(), "One.");
      line.system().advance(HOUR);
      text.awaitWaiting();
      participant.update(HOLD_PARTICIPANT, robin.id());
      line.system().advance(NextDelivery.FRESH.plusSeconds(1));
      text.commit();
      await().until(() -> "sending".equals(delivery("One.").get("status")));
      participant.awaitWaiting();
      assertThat(nobodyHoldsItsText()).isTrue();
      participant.commit();
    }
    awaitStatus("One.", "accepted");
    assertThat(channel.bodies(robin)).containsExactly("One.", "One.");
  }

  @Test
  void chargesAndCategoriesAreWrittenWithoutWaitingForWhoeverHoldsAText() throws SQLException {
    var costs = line.bean(DeliveryCosts.class);
    var template = "HX" + "3".repeat(32);
    says("One.");
    awaitStatus("One.", "accepted");
    says("Two.");
    awaitStatus("Two.", "accepted");
    line.write("INSERT INTO message_template (id) VALUES (?)", template);
    line.write("UPDATE outbox SET template_id = ? WHERE participant_id = ?", template, robin.id());
    var charges =
        List.of("Two.", "One.").stream()
            .map(body ->
                new DeliveryCosts.Charge(
                    String.valueOf(delivery(body).get("provider_id")),
                    new BigDecimal("0.0075"),
                    "USD"))
            .toList();
    try (var holder = LockHolder.of(line)) {
      holder.update(HOLD, robin.id(), "One.");
      costs.record(charges);
      costs.checked(template, Optional.of("utility"));
      holder.commit();
    }
    assertThat(delivery("Two."))
        .containsEntry("price_unit", "USD")
        .containsEntry("template_category", "utility");
    assertThat(delivery("One.").get("price_unit")).isNull();
    costs.record(charges);
    costs.checked(template, Optional.of("utility"));
    assertThat(delivery("One."))
        .containsEntry("price_unit", "USD")
        .containsEntry("template_category", "utility");
  }

  /**
   * What other processes made of a text while this one stood still in the middle of its request.
   */
  private void whileItIsPosted(String body, String change) {
    channel.then(
        robin,
        message -> {
          line.write("UPDATE outbox SET " + change + " WHERE id = ?", message.id());
          return new Delivery.Accepted("late_" + message.id());
        });
    says(body);
  }

  private List<String> sids(String body) {
    return line.column(
        "SELECT provider_id FROM outbox WHERE participant_id = ? AND body = ? ORDER BY seq",
        robin.id(),
        body);
  }

  @Test
  void anAcceptanceOfATextThatIsInOtherHandsIsRecordedAsAStray() {
    var before = line.bean(Outbox.class).strays(HOUR);
    var others =
        Map.of(
            "Sent by another.",
            "open = FALSE, status = 'accepted', attempts = attempts + 1, provider_id = 'other'",
            "Withdrawn.",
            "open = FALSE, status = 'refused', reason = 'opted out'");
    others.forEach((body, change) -> {
      whileItIsPosted(body, change);
      await().until(() -> sids(body).size() == 2);
      var planned = line.bean(Outbox.class).deliveries(robin.id(), Long.MAX_VALUE, 10);
      var stray = planned.getFirst();
      assertThat(sids(body)).last().isEqualTo("late_" + planned.get(1).id());
      assertThat(stray.providerId()).isEqualTo("late_" + planned.get(1).id());
      assertThat(stray.status()).isEqualTo(DeliveryStatus.ACCEPTED);
      assertThat(stray.reason()).contains("had been suspended");
      assertThat(channel.bodies(robin)).filteredOn(body::equals).hasSize(1);
      // What becomes of it later says nothing of the text that was planned.
      line.bean(DeliveryReports.class)
          .accept(
              new DeliveryReport(
                  String.valueOf(stray.providerId()),
                  "undelivered",
                  DeliveryStatus.UNDELIVERED,
                  "30008",
                  DeliveryFailure.ONCE_MORE));
      assertThat(sids(body)).as("nothing is sent once more").hasSize(2);
    });
    assertThat(line.bean(Outbox.class).strays(HOUR)).isEqualTo(before + others.size());
  }

  @Test
  void anAcceptanceThatOthersOnlyWaitedForIsNoStray() {
    var before = line.bean(Outbox.class).strays(HOUR);
    whileItIsPosted("Thought lost.", "status = 'unknown', not_before = '2999-01-01 00:00:00+00'");
    awaitStatus("Thought lost.", "accepted");
    whileItIsPosted("Given up.", "open = FALSE, status = 'unknown'");
    awaitStatus("Given up.", "accepted");
    channel.then(
        robin,
        message -> {
          line.write(
              "UPDATE outbox SET open = FALSE, status = 'accepted', provider_id = ? WHERE id = ?",
              "found_" + message.id(),
              message.id());
          return new Delivery.Accepted("found_" + message.id());
        });
    says("Found in the list.");
    says("Afterwards.");
    awaitStatus("Afterwards.", "accepted");
    assertThat(sids("Thought lost.")).singleElement().asString().startsWith("late_");
    assertThat(sids("Given up.")).singleElement().asString().startsWith("late_");
    assertThat(sids("Found in the list.")).singleElement().asString().startsWith("found_");
    assertThat(line.bean(Outbox.class).strays(HOUR)).isEqualTo(before);
  }

  /** The STOP sees a text that waits, and it is taken before the STOP can end it. */
  @Test
  void aStopDoesNotSayOfATextThatIsLeavingThatItWasRefused() throws Exception {
    saysAndIsPutOff("One.");
    var stop = new AtOnce<Acceptance>();
    try (var holder = LockHolder.of(line)) {
      holder.update(
          "UPDATE outbox SET status = 'sending', attempts = attempts + 1, sending_at = planned_at"
              + " WHERE participant_id = ? AND body = ?",
          robin.id(),
          "One.");
      stop.waiting(() -> line.text(robin, "STOP"));
      holder.awaitWaiting();
      holder.commit();
    }
    assertThat(stop.outcomes()).hasSize(1);
    assertThat(delivery("One.")).containsEntry("open", true).containsEntry("withheld", "opted out");
    await().until(() -> line.turns(robin) == 3);
    // Nobody knows whether it was sent; that it was not does not send it now, though they are back.
    line.text(robin, "START");
    await().until(() -> line.turns(robin) == 4);
    line.system().advance(HOUR);
    awaitStatus("One.", "refused");
    assertThat(delivery("One.")).containsEntry("reason", "opted out");
    assertThat(channel.bodies(robin)).containsExactly("One.");
    assertThat(channel.lookUps(robin)).isEqualTo(1);
  }

  @Test
  void aTextThatIsBeingSentWhenItsParticipantLeavesIsNotCalledRefused() {
    var left = new CountDownLatch(1);
    channel.then(
        robin,
        message -> {
          await().until(() -> left.getCount() == 0);
          return TestChannel.accepted(message);
        });
    says("One.");
    await().until(() -> channel.attempts(robin, "One.") == 1);
    assertThat(line.bean(Participants.class).leave(robin.id(), false)).isTrue();
    assertThat(delivery("One.")).containsEntry("status", "sending").containsEntry("open", true);
    left.countDown();
    await().until(() -> line.rows("SELECT id FROM participant WHERE id = ?", robin.id()).isEmpty());
    assertThat(channel.bodies(robin)).startsWith("One.").hasSize(2);
  }

  /** Whoever is slower than this is taken for lost, and their text for unknown. */
  @Test
  void nobodyIsOnTheWayToAProviderForLongerThanOthersWait() {
    var longest =
        RunningLine.in(OutboxTest.class)
            .with("twilio.account-sid", "AC" + "0".repeat(32))
            .with("twilio.auth-token", "0".repeat(32))
            .with("twilio.sms-from", "+15005550006")
            .with("twilio.request-timeout", "20s")
            .build();
    try {
      var onItsWay = longest.bean(Channels.class).longestSend();
      assertThat(onItsWay).isGreaterThan(Duration.ofSeconds(20));
      assertThat(NextDelivery.FRESH.plus(onItsWay)).isLessThan(NextDelivery.STALE);
    } finally {
      longest.close();
    }
    var slow =
        new TestChannel(ChannelKind.SMS) {
          @Override
          public Duration sendsWithin() {
            return NextDelivery.STALE.minus(NextDelivery.FRESH);
          }
        };
    assertThatThrownBy(() -> RunningLine.in(OutboxTest.class).bean(slow).start())
        .hasStackTraceContaining("Sending a message may take up to 35 s");
  }

  /** A text that failed with a code and is tried again in years. */
  private String failedOnce() {
    var id = "dlv_failed_" + robin.id();
    line.write(
        """
        INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, planned_at, not_before,
                            said_at, expires_at, reason, hold, failure, failure_code)
        VALUES (?, ?, 'reply', 'sms', 'Wait.', 'planned', TRUE, 1, TIMESTAMP WITH TIME ZONE '2026-11-21 07:00:00+00',
                TIMESTAMP WITH TIME ZONE '2096-11-21 07:00:00+00', TIMESTAMP WITH TIME ZONE '2026-11-21 07:00:00+00',
                TIMESTAMP WITH TIME ZONE '2096-11-22 07:00:00+00', '20429', 'retry', 'never_processed', '20429')
        """,
        id,
        robin.id());
    return id;
  }

  @Test
  void whatATextMetLastIsForgottenWhenItIsPutOff() {
    var id = failedOnce();
    inOneTransaction(() ->
        line.bean(JdbcOutbox.class)
            .putOff(
                id,
                "it waits until the morning",
                HoldReason.ALLOWED_HOURS,
                Instant.parse("2096-11-22T07:00:00Z")));
    assertThat(delivery("Wait."))
        .containsEntry("hold", "allowed_hours")
        .containsEntry("failure", null)
        .containsEntry("failure_code", null);
  }

  @Test
  void whatATextMetLastIsForgottenWhenItIsCancelled() {
    var _ = failedOnce();
    inOneTransaction(() ->
        line.bean(JdbcOutbox.class)
            .cancel(robin.id(), "deleted", Instant.parse("2026-11-21T08:00:00Z")));
    assertThat(delivery("Wait."))
        .containsEntry("status", "refused")
        .containsEntry("hold", null)
        .containsEntry("failure", null)
        .containsEntry("failure_code", null);
  }

  /** A provider that reports a failure, and later that the message arrived after all. */
  private String failedAfterAcceptance(String body) {
    says(body);
    awaitStatus(body, "accepted");
    report(body, DeliveryStatus.UNDELIVERED, "30005");
    awaitStatus(body, "undelivered");
    return String.valueOf(delivery(body).get("id"));
  }

  private void report(String body, DeliveryStatus status, @Nullable String errorCode) {
    line.bean(DeliveryReports.class)
        .accept(
            new DeliveryReport(
                String.valueOf(delivery(body).get("provider_id")),
                status.word(),
                status,
                errorCode,
                errorCode == null ? null : DeliveryFailure.FINAL));
  }

  private Resends.Resent resend(String id, boolean evenIfArrived) {
    return line.bean(Resends.class)
        .resend(line.bean(Participants.class).find(robin.id()).orElseThrow(), id, evenIfArrived);
  }

  @Test
  void aMessageReportedAsDeliveredDuringAResendIsNotSentAgain() throws Exception {
    var id = failedAfterAcceptance("One.");
    CompletableFuture<Resends.Resent> pressed;
    try (var report = LockHolder.of(line)) {
      report.update(HOLD_PARTICIPANT, robin.id());
      pressed = CompletableFuture.supplyAsync(() -> resend(id, false));
      report.awaitWaiting();
      report.update(
          "INSERT INTO delivery_event (provider_id, status, progress, joined, received_at)"
              + " SELECT provider_id, 'delivered', 7, TRUE, planned_at FROM outbox WHERE id = ?",
          id);
      report.commit();
    }
    assertThat(pressed.get()).isEqualTo(new Resends.Resent.Refused(Resends.Never.NOT_FAILED));
    assertThat(channel.bodies(robin)).containsExactly("One.");
    assertThat(delivery("One.")).containsEntry("id", id).containsEntry("status", "undelivered");
  }

  @Test
  void aReportThatAMessageArrivedWaitsForWhoeverSendsItAgainAndIsKept() throws Exception {
    var id = failedAfterAcceptance("One.");
    CompletableFuture<Void> reported;
    try (var press = LockHolder.of(line)) {
      press.update(HOLD_PARTICIPANT, robin.id());
      reported = CompletableFuture.runAsync(() -> report("One.", DeliveryStatus.DELIVERED, null));
      press.awaitWaiting();
      press.update(INSERT_AGAIN, "dlv_again", id);
      press.commit();
    }
    reported.get();
    assertThat(resend(id, false)).isEqualTo(new Resends.Resent.Already());
    assertThat(
            line.column(
                "SELECT e.status FROM delivery_event e JOIN outbox o ON o.provider_id = e.provider_id"
                    + " WHERE o.id = ? ORDER BY e.seq",
                id))
        .containsExactly("undelivered", "delivered");
  }

  /** A text of which nobody knew whether it was sent; the provider names it later. */
  private JdbcOutbox.Row unknown(String body) {
    says(body);
    awaitStatus(body, "accepted");
    var id = String.valueOf(delivery(body).get("id"));
    Rows.of(line)
        .write("UPDATE outbox SET status = 'unknown', provider_id = NULL WHERE id = ?", id);
    return line.bean(Transactions.class)
        .read(() -> line.bean(JdbcOutbox.class).these(List.of(id)))
        .getFirst();
  }

  @Test
  void aTextThatIsFoundAfterAllIsNotSentAgainThoughBothHappenAtOnce() throws Exception {
    var text = unknown("One.");
    CompletableFuture<Resends.Resent> pressed;
    try (var found = LockHolder.of(line)) {
      found.update(HOLD_PARTICIPANT, robin.id());
      pressed = CompletableFuture.supplyAsync(() -> resend(text.id(), true));
      found.awaitWaiting();
      found.update(
          "UPDATE outbox SET status = 'accepted', provider_id = 'found_' || id WHERE id = ?",
          text.id());
      found.commit();
    }
    assertThat(pressed.get()).isEqualTo(new Resends.Resent.Refused(Resends.Never.NOT_FAILED));
  }

  @Test
  void aTextThatWasSentAgainIsNotFoundAfterAllThoughBothHappenAtOnce() throws Exception {
    var text = unknown("One.");
    CompletableFuture<Void> found;
    try (var press = LockHolder.of(line)) {
      press.update(HOLD_PARTICIPANT, robin.id());
      found =
          CompletableFuture.runAsync(() ->
              inOneTransaction(() ->
                  line.bean(DeliveryRecorder.class)
                      .foundAfterAll(text.message(robin), "found_" + text.id())));
      press.awaitWaiting();
      press.update(INSERT_AGAIN, "dlv_found_again", text.id());
      press.commit();
    }
    found.get();
    assertThat(line.rows("SELECT * FROM outbox WHERE id = ?", text.id()).getFirst())
        .containsEntry("status", "unknown")
        .containsEntry("provider_id", null);
  }

  private static void inOneTransaction(Runnable work) {
    var transactions = line.bean(Transactions.class);
    transactions.write(() -> {
      work.run();
    });
  }
}
