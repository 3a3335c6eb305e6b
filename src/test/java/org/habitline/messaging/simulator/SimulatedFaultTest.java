package org.habitline.messaging.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.habitline.RunningLine;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What goes wrong on the way to a simulated phone goes through the ledger like anything else. */
final class SimulatedFaultTest {

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(SimulatedFaultTest.class).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static SimulatedPhones phones() {
    return line.bean(SimulatedPhones.class);
  }

  private static Map<String, Object> newest(Participant participant) {
    return line.rows("SELECT * FROM outbox WHERE participant_id = ? ORDER BY seq", participant.id())
        .getLast();
  }

  private static void awaitStatus(Participant participant, String status) {
    await().until(() -> Objects.equals(newest(participant).get("status"), status));
  }

  @Test
  void aDelayedTextArrivesLaterAndOnce() {
    var robin = line.greeted();
    phones().breakNext(robin.id(), new SimulatedFault.Delay(Duration.ofSeconds(30)));
    line.text(robin, "hello");
    await().until(() -> newest(robin).get("reason") != null);
    assertThat(newest(robin))
        .containsEntry("status", "planned")
        .containsEntry("reason", "the simulated carrier is busy");
    assertThat(line.phone(robin)).hasSize(1);
    assertThat(phones().pending(robin.id())).isEmpty();

    line.system().advance(Duration.ofSeconds(31));
    awaitStatus(robin, "accepted");
    assertThat(line.phone(robin)).hasSize(2);
  }

  @Test
  void aFailedTextIsTakenAndReportedUndelivered() {
    var robin = line.greeted();
    phones().breakNext(robin.id(), new SimulatedFault.Failure());
    line.answered(robin, "hello");
    awaitStatus(robin, "undelivered");
    assertThat(newest(robin)).containsEntry("error_code", "unreachable");
    assertThat(line.phone(robin)).hasSize(1);

    line.answered(robin, "hello again");
    awaitStatus(robin, "accepted");
    assertThat(line.phone(robin)).hasSize(2);
  }

  @Test
  void eachFaultIsMetByOneTextInTheirOrder() {
    var robin = line.greeted();
    phones().breakNext(robin.id(), new SimulatedFault.Failure());
    phones().breakNext(robin.id(), new SimulatedFault.Failure());
    assertThat(phones().pending(robin.id())).hasSize(2);
    line.answered(robin, "one");
    awaitStatus(robin, "undelivered");
    line.answered(robin, "two");
    awaitStatus(robin, "undelivered");
    line.answered(robin, "three");
    awaitStatus(robin, "accepted");
    assertThat(line.phone(robin)).hasSize(2);
  }

  @Test
  void faultsGoWithTheParticipant() {
    var robin = line.greeted();
    phones().breakNext(robin.id(), new SimulatedFault.Failure());
    line.bean(Participants.class).leave(robin.id(), false);
    await()
        .until(() ->
            line.rows("SELECT * FROM simulated_fault WHERE participant_id = ?", robin.id())
                .isEmpty());
  }
}
