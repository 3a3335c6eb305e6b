package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who leaves gets one last text, if they may, and then nothing of them is kept. */
@Tag("database")
final class LeavingTest {

  private static final List<String> TABLES =
      List.of(
          "participant_state",
          "state_data",
          "profile_change",
          "inbox",
          "lease",
          "turn",
          "iteration",
          "outbox",
          "simulated_phone_text");

  private static final TestChannel channel = new TestChannel(ChannelKind.SMS);
  private static RunningLine line;
  private static StrictFakeServer fake;

  @BeforeAll
  static void start() {
    line = RunningLine.in(LeavingTest.class).bean(channel).start();
    fake = line.fake();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void forget() {
    fake.forget();
    channel.forget();
  }

  private static Participant known() {
    var robin = line.enrol(ChannelKind.SMS);
    line.awaitTurn(robin, 1);
    fake.then(
        Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
        Scripted.say("Noted."));
    line.answered(robin, "hello");
    return robin;
  }

  private static void leaves(Participant participant, boolean keepTranscript) {
    assertThat(line.bean(Participants.class).leave(participant.id(), keepTranscript)).isTrue();
  }

  private static void isGone(Participant participant) {
    await()
        .until(
            () -> line.rows("SELECT id FROM participant WHERE id = ?", participant.id()).isEmpty());
    for (var table : TABLES) {
      assertThat(
              line.rows("SELECT * FROM " + table + " WHERE participant_id = ?", participant.id()))
          .as(table)
          .isEmpty();
    }
  }

  private static String notice() {
    return line.bean(FlowCatalog.class).defaultFlow().texts().deletionNotice();
  }

  @Test
  void theNoticeIsTheLastTextAndThenNothingIsKept() {
    var robin = known();
    leaves(robin, false);
    isGone(robin);
    assertThat(channel.bodies(robin)).endsWith("Noted.", notice());
    assertThat(line.transcript(robin)).isEmpty();
    assertThat(line.rows("SELECT * FROM address WHERE phone = ?", robin.phone().e164())).isEmpty();
    assertThat(line.text(robin, "hello?")).isInstanceOf(Acceptance.UnknownSender.class);
  }

  @Test
  void theTranscriptMayBeKeptUnderTheIdAlone() {
    var robin = known();
    leaves(robin, true);
    isGone(robin);
    assertThat(line.transcript(robin)).contains("user: hello", "assistant: Noted.");
  }

  @Test
  void whatRingsForWhoIsLeavingIsClosed() {
    var robin = known();
    channel.defer(robin, Duration.ofHours(1));
    leaves(robin, false);
    line.awaitPutOff(robin);
    line.write(
        "INSERT INTO inbox (participant_id, kind, provider_id, body, received_at, stored_at, status)"
            + " VALUES (?, 'woke', 'wake_that_rang_meanwhile', 'wku_1', ?, ?, 'waiting')",
        robin.id(),
        line.system().instant().atOffset(ZoneOffset.UTC),
        line.system().instant().atOffset(ZoneOffset.UTC));
    await()
        .until(() ->
            line.rows(
                    "SELECT seq FROM inbox WHERE participant_id = ? AND status <> 'done'",
                    robin.id())
                .isEmpty());
    line.system().advance(Duration.ofHours(1));
    isGone(robin);
  }

  @Test
  void aNoticeThatIsRefusedErasesToo() {
    var robin = known();
    channel.refuse(robin, "bad number");
    leaves(robin, false);
    isGone(robin);
  }

  @Test
  void nothingIsErasedBeforeTheNoticeEnded() {
    var robin = known();
    channel.defer(robin, Duration.ofHours(1));
    leaves(robin, false);
    line.awaitPutOff(robin);
    assertThat(line.transcript(robin)).isNotEmpty();
    assertThat(line.text(robin, "wait!")).isInstanceOf(Acceptance.UnknownSender.class);
    line.system().advance(Duration.ofHours(1));
    isGone(robin);
    assertThat(channel.attempts(robin, notice())).isEqualTo(2);
  }

  @Test
  void whoOptedOutIsErasedAtOnceAndStaysOptedOut() {
    var robin = known();
    line.answered(robin, "STOP");
    var sent = channel.bodies(robin);
    leaves(robin, false);
    isGone(robin);
    assertThat(channel.bodies(robin)).isEqualTo(sent);
    assertThat(line.rows("SELECT * FROM address WHERE phone = ?", robin.phone().e164()))
        .as("the number itself goes")
        .isEmpty();
    assertThat(line.rows("SELECT * FROM suppressed_number")).hasSize(1);
    var again = line.enrol(ChannelKind.SMS, "Robin", robin.phone());
    assertThat(line.bean(Participants.class).find(again.id()).orElseThrow().optedOut())
        .as("the opt-out outlives its owner")
        .isTrue();
    assertThat(line.rows("SELECT * FROM suppressed_number")).isEmpty();
    assertThat(line.home().resolve("suppression.key")).exists();
  }

  @Test
  void aTurnThatRunsMeanwhileCannotCommit() {
    var robin = known();
    var latch = new CountDownLatch(1);
    var before = fake.asked().size();
    fake.then(Scripted.say("too late").heldBy(latch));
    line.text(robin, "hello");
    await().until(() -> fake.asked().size() > before);
    leaves(robin, true);
    isGone(robin);
    latch.countDown();
    line.answered(line.greeted(), "someone else meanwhile");
    assertThat(line.transcript(robin)).doesNotContain("assistant: too late");
    assertThat(channel.bodies(robin)).doesNotContain("too late").endsWith(notice());
    isGone(robin);
  }

  @Test
  void textsThatWaitToGoOutDoNot() {
    var robin = known();
    channel.defer(robin, Duration.ofHours(1));
    var next = line.turns(robin) + 1;
    line.text(robin, "hello");
    await()
        .until(
            () -> line.turn(robin, next).filter(t -> "done".equals(t.get("status"))).isPresent());
    line.awaitPutOff(robin);
    leaves(robin, true);
    isGone(robin);
    assertThat(channel.attempts(robin, "All right.")).isEqualTo(1);
    assertThat(channel.bodies(robin))
        .startsWith("This is an automated coach, not a person.\n\nAll right.")
        .endsWith(notice());
  }

  @Test
  void whoLeavesTwiceLeavesOnce() {
    var robin = known();
    channel.defer(robin, Duration.ofHours(1));
    leaves(robin, false);
    assertThat(line.bean(Participants.class).leave(robin.id(), true)).isFalse();
    line.awaitPutOff(robin);
    line.system().advance(Duration.ofHours(1));
    isGone(robin);
    assertThat(line.transcript(robin)).as("the first wish holds").isEmpty();
  }
}
