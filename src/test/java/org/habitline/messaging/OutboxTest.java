package org.habitline.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.habitline.RunningLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
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
    var _ =
        line.bean(Participants.class)
            .update(robin.id(), new ParticipantChange(null, null, null, null, null, status));
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

  /** By a connection that waits for nobody's turn to write. */
  private boolean nobodyHoldsItsText() throws SQLException {
    var pool =
        DelegatingDataSource.unwrapDataSource(line.bean(DataSource.class))
            .unwrap(HikariDataSource.class);
    try (var connection = pool.getConnection();
        var statement =
            connection.prepareStatement(
                "SELECT id FROM outbox WHERE body = 'One.' AND participant_id = ? FOR UPDATE SKIP LOCKED")) {
      statement.setString(1, robin.id());
      try (var rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  private static void inOneTransaction(Runnable work) {
    TransactionOperations<Connection> transactions = line.bean(TransactionOperations.class);
    transactions.executeWrite(status -> {
      work.run();
      return true;
    });
  }
}
