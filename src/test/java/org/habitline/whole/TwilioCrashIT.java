package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.CoachScript.Step;
import org.habitline.whole.TextingLine.Database;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The jar is killed with Twilio on both its ends; whatever it was doing, every text of a
 * participant is answered by exactly one text. Each build tries one point of each kind on H2; the
 * long tests try all on both databases.
 */
final class TwilioCrashIT {

  private static final String TEXT = "Plan while the kettle boils";
  private static final String AFTERWARDS = "And what comes next?";
  private static final String DANGER = "I want to kill myself tonight";
  private static final String TO_ALL = "The study office is closed on Friday.";
  private static final int MANY = 30;
  private static final int AT_ONCE = 3;

  @TempDir static Path homes;

  private static final Map<String, String> table = new ConcurrentSkipListMap<>();

  private static final TextingLines lines =
      new TextingLines((home, database) -> {
        var line =
            new TextingLine(homes.resolve(home), database, Map.of("ALLOWED_HOURS", "00:00-24:00"));
        line.deployment().startWithDebugger();
        return line;
      });

  /** Where the process dies. */
  enum Point {
    WEBHOOK_NOT_COMMITTED("storage.Transactions", "afterCommit", "webhook, before the commit"),
    WEBHOOK_NOT_ACKNOWLEDGED(
        "messaging.inbox.Dispatcher", "signal", "webhook, committed, not acknowledged"),
    MODEL_THINKS(null, "", "while the model writes the reply"),
    INSIDE_THE_COMMIT("conversation.model.Journal", "finish", "inside the commit of the turn"),
    NOT_POSTED("messaging.outbox.OutboxLoop", "send", "committed, not posted to Twilio"),
    TAKEN_NOT_ANSWERED(null, "", "taken by Twilio, not answered"),
    ACCEPTED_NOT_RECORDED(
        "messaging.outbox.DeliveryRecorder", "record", "accepted by Twilio, not recorded"),
    REPORTED_NOT_RECORDED(
        "messaging.outbox.DeliveryRecorder", "record", "accepted and reported, not recorded");

    private final @Nullable String className;
    private final String method;
    private final String words;

    Point(@Nullable String className, String method, String words) {
      this.className = className;
      this.method = method;
      this.words = words;
    }
  }

  @AfterAll
  static void end() {
    lines.close();
    System.out.println("| killed | database | posts to Twilio | texts taken | the turn |");
    System.out.println("|---|---|---|---|---|");
    table.values().forEach(System.out::println);
  }

  @Test
  void aTextACrisisAndAMessageToManyAreAnsweredOnceThoughTheProcessDies() {
    lines.with(Database.H2, line -> dieAndGoOn(line, Point.WEBHOOK_NOT_COMMITTED, Database.H2));
    lines.with(Database.H2, line -> dieAndGoOn(line, Point.TAKEN_NOT_ANSWERED, Database.H2));
    lines.with(Database.H2, line -> dieInACrisis(line, CrisisPoint.IN_COMMIT, Database.H2));
    lines.with(
        Database.H2,
        line -> dieInTheMiddleOfMany(line, ManyPoint.ACCEPTED_NOT_RECORDED, Database.H2));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("endurance")
  void everyTextIsAnsweredByOneTextWhereverTheProcessDies(Database database) {
    eachOf(Point.values(), database, TwilioCrashIT::dieAndGoOn);
  }

  /** A case on a line that is up, and that leaves it up. */
  private interface Case<T> {
    void with(TextingLine line, T point, Database database);
  }

  /** Tries each case, a few at a time, and reports all that fail. */
  private static <T> void eachOf(T[] points, Database database, Case<T> attempt) {
    try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
      var tried =
          Stream.of(points)
              .map(point ->
                  threads.submit(
                      () -> lines.with(database, line -> attempt.with(line, point, database))))
              .toList();
      assertSoftly(softly ->
          tried.forEach(one -> softly.assertThatCode(one::get).doesNotThrowAnyException()));
    }
  }

  private static void dieAndGoOn(TextingLine line, Point point, Database database) {
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    line.deployment().awaitTurns(id, 1);
    settle(line, number);
    var text = line.phone().sms(number, TEXT);
    die(line, point, text);

    line.goOn();
    if (point.name().startsWith("WEBHOOK")) {
      // Nobody acknowledged it, so Twilio may call again.
      assertThat(line.phone().sms(number, TEXT).withSid(text.sid()).post().status()).isEqualTo(200);
    }
    line.awaitTexts(number, 2);
    line.phone().text(number, AFTERWARDS);
    line.awaitTexts(number, 3);
    settle(line, number);
    var ledger = line.ledger();
    table.put(
        database + "." + point.name(),
        "| %-38s | %-10s | %d | %d | %s |"
            .formatted(
                point.words,
                database.name().toLowerCase(Locale.ROOT),
                line.twilio().posts().size(),
                line.sentTo(number).size(),
                ledger.turns(id).get(1)));
    assertThat(line.sentTo(number))
        .containsExactly(
            CoachScript.FIRST_TEXT, CoachScript.reply(TEXT), CoachScript.reply(AFTERWARDS));
    assertThat(ledger.said(id)).containsExactly(TEXT, AFTERWARDS);
    assertThat(ledger.openInbox()).isZero();
    assertThat(ledger.turnsThatChanged(id, "prompt_anchor")).hasSize(1);
    assertThat(line.twilio().violations()).isEmpty();
    assertThat(line.deployment().model().violations()).isEmpty();
    if (point == Point.REPORTED_NOT_RECORDED) {
      assertThat(ledger.words("select status from outbox where participant_id = ?", id))
          .contains("delivered");
    }
  }

  /** Where the process dies after a text about a crisis. */
  enum CrisisPoint {
    RULE_HIT("safety.incidents.Incidents", "opened", "a rule hit, no incident yet"),
    IN_COMMIT("messaging.outbox.Outbox", "plan", "incident opened, not committed"),
    NOT_ACKNOWLEDGED("messaging.inbox.Dispatcher", "signal", "incident committed"),
    NOT_POSTED("messaging.outbox.OutboxLoop", "send", "crisis text not posted to Twilio"),
    TAKEN_NOT_ANSWERED(null, "", "crisis text taken by Twilio, not answered"),
    ACCEPTED_NOT_RECORDED(
        "messaging.outbox.DeliveryRecorder", "record", "crisis text accepted, not recorded");

    private final @Nullable String className;
    private final String method;
    private final String words;

    CrisisPoint(@Nullable String className, String method, String words) {
      this.className = className;
      this.method = method;
      this.words = words;
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("endurance")
  void aCrisisHasOneIncidentAndOneTextWhereverTheProcessDies(Database database) {
    eachOf(CrisisPoint.values(), database, TwilioCrashIT::dieInACrisis);
  }

  private static final Set<CrisisPoint> NOT_COMMITTED =
      EnumSet.of(CrisisPoint.RULE_HIT, CrisisPoint.IN_COMMIT);

  private static void dieInACrisis(TextingLine line, CrisisPoint point, Database database) {
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    line.deployment().awaitTurns(id, 1);
    settle(line, number);
    var text = line.phone().sms(number, DANGER);
    if (point == CrisisPoint.TAKEN_NOT_ANSWERED) {
      line.twilio().then(TwilioAnswer.acceptThenHang());
      text.post();
      line.awaitTexts(number, 2);
      line.deployment().kill();
      line.twilio().release();
    } else {
      var death = line.deployment().willDieAt(String.valueOf(point.className), point.method, 1);
      var acknowledged = isAcknowledged(text);
      Deployment.await(death);
      assertThat(acknowledged && NOT_COMMITTED.contains(point)).isFalse();
    }

    line.goOn();
    // It may not have been acknowledged, so Twilio calls again.
    assertThat(line.phone().sms(number, DANGER).withSid(text.sid()).post().status()).isEqualTo(200);
    line.awaitTexts(number, 2);
    line.phone().text(number, AFTERWARDS);
    Awaitility.await("both texts had a turn")
        .pollInterval(Duration.ofMillis(100))
        .until(() -> line.ledger().openInbox() == 0);
    settle(line, number);
    var ledger = line.ledger();
    table.put(
        database + ".crisis." + point.name(),
        "| %-38s | %-10s | %d | %d | %s |"
            .formatted(
                point.words,
                database.name().toLowerCase(Locale.ROOT),
                line.twilio().posts().size(),
                line.sentTo(number).size(),
                ledger.turns(id).get(1)));
    assertThat(line.sentTo(number)).hasSize(2).element(1).asString().contains("automated message");
    assertThat(
            ledger.words(
                "select status || ' ' || texts from incident where participant_id = ?", id))
        .containsExactly("open 1");
    assertThat(ledger.openInbox()).isZero();
    assertThat(line.twilio().violations()).isEmpty();
  }

  /** Where the process dies in the middle of a message to many. */
  enum ManyPoint {
    PLANNED_NOT_COMMITTED("staff.bulk.BulkRun", "decide", "message to many planned, not committed"),
    NOT_POSTED("messaging.outbox.OutboxLoop", "send", "message to many not posted to Twilio"),
    ACCEPTED_NOT_RECORDED(
        "messaging.outbox.DeliveryRecorder", "record", "message to many accepted, not recorded");

    private final String className;
    private final String method;
    private final String words;

    ManyPoint(String className, String method, String words) {
      this.className = className;
      this.method = method;
      this.words = words;
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("endurance")
  void everybodyGetsAMessageToManyOnceWhereverTheProcessDies(Database database) {
    eachOf(ManyPoint.values(), database, TwilioCrashIT::dieInTheMiddleOfMany);
  }

  private static void dieInTheMiddleOfMany(TextingLine line, ManyPoint point, Database database) {
    var people = new LinkedHashMap<String, String>();
    for (int i = 0; i < MANY; i++) {
      var number = Lines.nextPhone();
      people.put(number, line.greeted(number));
    }
    settle(line, people.firstEntry().getKey());
    var death = line.deployment().willDieAt(point.className, point.method, MANY / 2);
    writeToAll(line.deployment(), List.copyOf(people.values()));
    Deployment.await(death);

    line.goOn();
    people.keySet().forEach(number -> line.awaitTexts(number, 2));
    settle(line, people.firstEntry().getKey());
    var ledger = line.ledger();
    people.forEach((number, id) -> {
      assertThat(line.sentTo(number)).as(number).hasSize(2).endsWith(TO_ALL);
      assertThat(
              ledger.words(
                  "select content from message where one_of_many = true and participant_id = ?",
                  id))
          .containsExactly(TO_ALL);
    });
    table.put(
        database + ".many." + point.name(),
        "| %-38s | %-10s | %d | %d | %s |"
            .formatted(
                point.words,
                database.name().toLowerCase(Locale.ROOT),
                line.twilio().posts().size(),
                line.twilio().messages().size(),
                MANY + " people"));
    assertThat(line.twilio().violations()).isEmpty();
  }

  /** Confirms a message to many; it begins once it can no longer be undone. */
  private static void writeToAll(Deployment line, List<String> participants) {
    var preview =
        line.post(
            "/conversation/bulk/preview",
            Map.of("action", "message", "participants", participants, "text", TO_ALL));
    var id = preview.body().at("/result/bulk/id").asText();
    assertThat(
            line.post("/conversation/bulk", Map.of("id", id, "count", participants.size()))
                .status())
        .isEqualTo(201);
  }

  private static void settle(TextingLine line, String number) {
    Awaitility.await("everything sent is recorded")
        .pollInterval(Duration.ofMillis(100))
        .until(() -> line.ledger().openOutbox() == 0 && !line.sentTo(number).isEmpty());
  }

  private static void die(TextingLine line, Point point, TwilioPhone.Inbound text) {
    var number = text.form().text("From");
    switch (point) {
      case MODEL_THINKS -> {
        line.script().hold(Step.THIRD);
        text.post();
        line.script().await(Step.THIRD);
        line.deployment().kill();
        line.script().release(Step.THIRD);
      }
      case TAKEN_NOT_ANSWERED -> {
        line.twilio().then(TwilioAnswer.acceptThenHang());
        text.post();
        line.awaitTexts(number, 2);
        line.deployment().kill();
        line.twilio().release();
      }
      default -> {
        var death = line.deployment().willDieAt(String.valueOf(point.className), point.method, 1);
        if (point == Point.REPORTED_NOT_RECORDED) {
          line.twilio()
              .otherwise(posted -> {
                if (posted.body().equals(CoachScript.reply(TEXT))) {
                  return TwilioAnswer.accept().heldAfterAccepting(reported(line, number));
                }
                return TwilioAnswer.accept();
              });
        }
        var acknowledged = isAcknowledged(text);
        Deployment.await(death);
        assertThat(acknowledged && point == Point.WEBHOOK_NOT_COMMITTED).isFalse();
      }
    }
  }

  /** Reports the newest text to this number as delivered before its acceptance is answered. */
  private static CountDownLatch reported(TextingLine line, String number) {
    var latch = new CountDownLatch(1);
    Thread.startVirtualThread(() -> {
      line.awaitTexts(number, 2);
      var sid = line.twilio().messages().getLast().sid();
      line.twilio().callback(sid, "delivered");
      latch.countDown();
    });
    return latch;
  }

  /** Posts a text; returns false if the process died before it acknowledged it. */
  private static boolean isAcknowledged(TwilioPhone.Inbound text) {
    try {
      text.post();
      return true;
    } catch (RuntimeException died) {
      return false;
    }
  }
}
