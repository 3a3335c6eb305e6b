package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.habitline.HomeBytes;
import org.habitline.whole.CoachScript.Step;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The process dies while somebody stands at the door: what was not acknowledged is asked for again,
 * as providers and scripts do, and counts once. Each build tries two moments, the long tests all.
 */
@Execution(ExecutionMode.SAME_THREAD)
class DoorCrashIT {

  private static final String TEXT = "Is anybody there?";
  private static final String AFTERWARDS = "And now?";

  @TempDir static Path homes;
  private static Lines lines;

  @BeforeAll
  static void open() {
    lines = new Lines(homes);
  }

  @AfterAll
  static void end() {
    lines.endDiscreetly(TEXT, AFTERWARDS, "I heard", "the coach");
  }

  /** Before and after the commit of what came in. */
  enum Moment {
    NOT_COMMITTED("storage.Transactions", "afterCommit"),
    COMMITTED("messaging.inbox.Dispatcher", "signal");

    private final String className;
    private final String method;

    Moment(String className, String method) {
      this.className = className;
      this.method = method;
    }
  }

  @Test
  void aTextCountsOnceAndAnErasureIsFinishedThoughTheProcessDies() {
    lines.with(line -> textAgain(line, Moment.NOT_COMMITTED));
    lines.with(line -> eraseAndDie(line, Erasure.HALF_ERASED));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("endurance")
  @Execution(ExecutionMode.CONCURRENT)
  void aTextThatIsSentAgainBecauseNobodyAcknowledgedItCountsOnce(Moment moment) {
    lines.with(line -> textAgain(line, moment));
  }

  private static void textAgain(Deployment line, Moment moment) {
    CoachScript.playedBy(line.model());
    var id = line.enrolAndGreet(Lines.nextPhone());
    var text = Map.of("text", TEXT, "id", "from-the-phone-1");
    var death = line.willDieAt(moment.className, moment.method, 1);
    assertThatThrownBy(() -> line.post("/simulator/" + id + "/texts", text))
        .isInstanceOf(UncheckedIOException.class);
    Deployment.await(death);
    line.startWithDebugger();
    assertThat(line.post("/simulator/" + id + "/texts", text).accepted()).isTrue();
    assertThat(line.post("/simulator/" + id + "/texts", text).accepted()).isTrue();
    line.awaitOnPhone(id, CoachScript.reply(TEXT));
    line.textAndAwaitAnswer(id, AFTERWARDS);
    var ledger = line.ledgerNow();
    assertThat(ledger.said(id)).containsExactly(TEXT, AFTERWARDS);
    assertThat(ledger.arrived(id))
        .containsExactly(
            CoachScript.GREETING, CoachScript.reply(TEXT), CoachScript.reply(AFTERWARDS));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("endurance")
  @Execution(ExecutionMode.CONCURRENT)
  void anEnrolmentThatIsAskedForAgainEnrolsAndGreetsOnce(Moment moment) {
    lines.with(line -> {
      CoachScript.playedBy(line.model());
      var phone = Lines.nextPhone();
      var death = line.willDieAt(moment.className, moment.method, 1);
      assertThatThrownBy(() -> line.enrol(phone, "enrolment of " + phone))
          .isInstanceOf(UncheckedIOException.class);
      Deployment.await(death);
      line.startWithDebugger();
      var id = line.enrol(phone, "enrolment of " + phone);
      assertThat(line.enrol(phone, "enrolment of " + phone)).isEqualTo(id);
      line.awaitOnPhone(id, CoachScript.GREETING);
      line.textAndAwaitAnswer(id, AFTERWARDS);
      var ledger = line.ledgerNow();
      assertThat(ledger.enrolments(phone)).containsExactly(id);
      assertThat(ledger.arrived(id))
          .containsExactly(CoachScript.GREETING, CoachScript.reply(AFTERWARDS));
    });
  }

  @Test
  @Tag("endurance")
  @Execution(ExecutionMode.CONCURRENT)
  void aStopHoldsThoughTheProcessDiesWhileAReplyIsBeingWritten() {
    lines.with(line -> {
      var script = CoachScript.playedBy(line.model());
      var id = line.enrolAndGreet(Lines.nextPhone());
      script.hold(Step.ECHO);
      line.text(id, TEXT);
      script.await(Step.ECHO);
      line.text(id, "STOP");
      line.kill();
      script.release(Step.ECHO);
      line.startWithDebugger();
      line.awaitTurns(id, 3);
      var ledger = line.ledgerNow();
      assertThat(ledger.said(id)).containsExactly(TEXT, "STOP");
      assertThat(ledger.arrived(id)).containsExactly(CoachScript.GREETING);
      assertThat(ledger.openInbox()).isZero();
      assertThat(script.asked(Step.ECHO)).isEqualTo(1);
    });
  }

  /** Where an erasure may be cut off. */
  enum Erasure {
    NOTICE_NOT_SENT("messaging.outbox.OutboxLoop", "send"),
    NOTICE_NOT_RECORDED("messaging.outbox.DeliveryRecorder", "record"),
    HALF_ERASED("conversation.ParticipantLifecycle", "erased"),
    FILE_NOT_REWRITTEN("ops.database.ErasedSpace", "wiped");

    private final String className;
    private final String method;

    Erasure(String className, String method) {
      this.className = className;
      this.method = method;
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("endurance")
  @Execution(ExecutionMode.CONCURRENT)
  void anErasureIsFinishedThoughTheProcessDiesInTheMiddle(Erasure moment) {
    lines.with(line -> eraseAndDie(line, moment));
  }

  private static void eraseAndDie(Deployment line, Erasure moment) {
    CoachScript.playedBy(line.model());
    var phone = Lines.nextPhone();
    var id = line.enrolAndGreet(phone);
    var words = TEXT + " It is " + moment + " who asks.";
    line.textAndAwaitAnswer(id, words);
    var death = line.willDieAt(moment.className, moment.method, 1);
    line.deleteOrDie("/conversation/participants/" + id);
    Deployment.await(death);
    assertThat(HomeBytes.holding(line.home(), List.of(words, phone))).isNotEmpty();
    line.startWithDebugger();
    await()
        .untilAsserted(
            () -> assertThat(HomeBytes.holding(line.home(), List.of(words, phone))).isEmpty());
    assertThat(line.home().resolve("erasures.jsonl")).content().contains(id);
    var again = line.enrolOnceErased(phone);
    line.awaitOnPhone(again, CoachScript.GREETING);
    assertThat(line.ledgerNow().tracesOf(id)).isEmpty();
  }
}
