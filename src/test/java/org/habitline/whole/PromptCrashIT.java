package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.whole.CoachScript.Step;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A daily prompt reaches the phone once, is followed by one reminder and by tomorrow's prompt,
 * wherever between its planning and its end the process is killed with signal 9. Every case also
 * looks at what the dead process left, so that it is known to have died where it was to. The same
 * holds for a nudge and for the later question about a prompt. Each build tries two points on H2;
 * the long test tries all on both databases.
 */
final class PromptCrashIT {

  /** On each database. */
  private static final int AT_ONCE = 2;

  /** A nudge is planned whenever a reply of the intake was accepted; it is not due here. */
  private static final String NO_NUDGE = " and kind <> 'nudge'";

  static final Map<String, String> SHORT_DELAYS =
      Map.of(
          "ALLOWED_HOURS",
          "00:00-24:00",
          "AUTO_FEEDBACK_DELAY",
          "1s",
          "DAILY_PROMPT_REMINDER_DELAY",
          "2s");

  static final String PROMPT =
      CoachScript.HABIT_PROMPT + "\n\nDid you do it? Reply Done or Next time.";
  static final String INTENSITY =
      "How is the intensity? It is normal now; reply low or high to change it.";
  static final String NUDGE =
      "Still here whenever you like: a text of one word is enough to go on with your one-minute"
          + " habit. Text STOP to leave.";
  static final String REMINDER =
      "A gentle reminder of today's one minute. If it happened, reply Done; if not, Next time is"
          + " fine too.";

  @TempDir static Path homes;

  private static final Map<String, String> table = new ConcurrentSkipListMap<>();

  private static final TextingLines lines =
      new TextingLines((home, database) -> {
        var line = new TextingLine(homes.resolve(home), database, SHORT_DELAYS);
        line.deployment().startWithDebugger();
        return line;
      });

  /** Where the process dies, and how far wake-up and occurrence had come there. */
  enum Point {
    NO_BELL("scheduled, no bell set", "timers.Timers", "ring", 1, "waiting planned"),
    RINGING("a bell rings", "timers.Sweeps", "sweep", 1, "waiting planned"),
    STORED(
        "sweep: inside, in the inbox", "storage.Transactions", "afterCommit", 1, "waiting planned"),
    // Not "take", which also looks for a next text after a turn, maybe before the bell rings.
    RUNG(
        "sweep: committed, not taken up",
        "conversation.TurnClaim",
        "readAgainForTimer",
        1,
        "rung planned"),
    THINKING("turn: while the model writes", "", "", 1, "rung planned"),
    JOURNALED("turn: before the commit", "conversation.TurnCommit", "commit", 1, "rung planned"),
    END_OF_COMMIT(
        "turn: at the end of the commit",
        "conversation.model.Journal",
        "finish",
        1,
        "rung planned"),
    NOT_POSTED(
        "prompt: committed, not posted",
        "messaging.outbox.OutboxLoop",
        "send",
        1,
        "done prompting"),
    TAKEN("prompt: taken by Twilio, not answered", "", "", 1, "done prompting"),
    NOT_RECORDED(
        "prompt: accepted, not recorded",
        "messaging.outbox.DeliveryRecorder",
        "record",
        1,
        "done prompting"),
    ARMING(
        "prompt: inside the recording",
        "conversation.wakeups.PromptDeliveries",
        "arm",
        2,
        "done prompting"),
    RECORDED("prompt: recorded, reminder armed", "timers.Timers", "ring", 1, "done sent"),
    MOVING("feedback: before the commit", "conversation.TurnCommit", "commit", 2, "done sent"),
    REMINDING("reminder: before the commit", "conversation.TurnCommit", "commit", 3, "done sent"),
    REMINDER_NOT_RECORDED(
        "reminder: accepted, not recorded",
        "messaging.outbox.DeliveryRecorder",
        "record",
        3,
        "done sent");

    private final String words;
    private final String className;
    private final String method;
    private final int nth;
    private final String left;

    Point(String words, String className, String method, int nth, String left) {
      this.words = words;
      this.className = className;
      this.method = method;
      this.nth = nth;
      this.left = left;
    }
  }

  @AfterAll
  static void end() {
    lines.close();
    System.out.println("| killed | database | left behind | asked | prompts | reminders | s |");
    System.out.println("|---|---|---|---|---|---|---|");
    table.values().forEach(System.out::println);
  }

  @Test
  void aPromptAndItsReminderComeOnceThoughTheProcessDies() {
    for (var point : List.of(Point.JOURNALED, Point.NOT_RECORDED)) {
      lines.with(Database.H2, line -> promptAndDie(line, point, Database.H2));
    }
  }

  @Test
  @Tag("endurance")
  void aPromptItsReminderAndAMoveComeOnceOnEitherDatabaseWhereverTheProcessDies() {
    try (var onH2 = Executors.newFixedThreadPool(AT_ONCE);
        var onPostgres = Executors.newFixedThreadPool(AT_ONCE)) {
      var running = new LinkedHashMap<String, Future<?>>();
      running.putAll(cases(Database.POSTGRESQL, onPostgres));
      running.putAll(cases(Database.H2, onH2));
      assertSoftly(softly ->
          running.forEach(
              (name, one) -> softly.assertThatCode(one::get).as(name).doesNotThrowAnyException()));
    }
  }

  private static Map<String, Future<?>> cases(Database database, ExecutorService threads) {
    var running = new LinkedHashMap<String, Future<?>>();
    for (var point : Point.values()) {
      running.put(
          point + " " + database,
          threads.submit(() -> lines.with(database, line -> promptAndDie(line, point, database))));
    }
    for (var point : MovePoint.values()) {
      running.put(
          point + " " + database,
          threads.submit(() -> lines.with(database, line -> moveAndDie(line, point, database))));
    }
    for (var point : SCRIPTED) {
      running.put(
          "script " + point + " " + database,
          threads.submit(() -> lines.with(database, line -> scriptAndDie(line, point, database))));
    }
    for (var point : FOLLOWING) {
      running.put(
          "nudge " + point + " " + database,
          threads.submit(() -> lines.with(database, line -> nudgeAndDie(line, point, database))));
      running.put(
          "question " + point + " " + database,
          threads.submit(
              () -> lines.with(database, line -> questionAndDie(line, point, database))));
    }
    return running;
  }

  private static void promptAndDie(TextingLine line, Point point, Database database) {
    var began = System.nanoTime();
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    var zone = whereItIsDay();
    var time = point == Point.NO_BELL ? soon(zone) : LocalTime.now(zone).plusMinutes(90);
    var today = LocalDate.now(zone);
    var text = CoachScript.daily(time, zone);
    if (point == Point.NO_BELL) {
      var death = line.deployment().willDieAt(point.className, point.method, point.nth);
      line.phone().text(number, text);
      Deployment.await(death);
    } else {
      line.phone().text(number, text);
      line.awaitTexts(number, 2);
      settle(line);
      line.deployment().kill();
      makeDue(line, id);
      startAndDie(line, point, number, 3);
    }
    var left = left(line, id, today);
    line.goOn();
    line.awaitTexts(number, 5);
    settle(line);
    var ledger = line.ledger();
    var asked = line.script().asked(Step.NESTED);
    table.put(
        point + " " + database,
        "| %-42s | %-10s | %-18s | %d | %d | %d | %2d |"
            .formatted(
                point.words,
                word(database),
                left,
                asked,
                times(line, number, PROMPT),
                times(line, number, REMINDER),
                seconds(began)));
    assertSoftly(softly -> {
      softly.assertThat(left).isEqualTo(point.left);
      softly
          .assertThat(line.sentTo(number))
          .containsExactly(
              CoachScript.FIRST_TEXT, CoachScript.reply(text), PROMPT, INTENSITY, REMINDER);
      softly.assertThat(line.twilio().posts()).hasSameSizeAs(line.twilio().messages());
      softly
          .assertThat(ledger.occurrences(id))
          .containsExactly(today + " sent", today.plusDays(1) + " planned");
      softly
          .assertThat(ledger.wakeups(id))
          .containsExactlyInAnyOrder(
              "daily_prompt done", "auto_feedback done", "reminder done", "daily_prompt waiting");
      softly
          .assertThat(
              ledger.words(
                  "select total_prompts from participant_state where participant_id = ?", id))
          .containsExactly("1");
      softly.assertThat(ledger.data(id, "conversationState")).isEqualTo("FEEDBACK");
      softly
          .assertThat(ledger.words("select status from turn where participant_id = ?", id))
          .hasSize(5)
          .containsOnly("done");
      softly.assertThat(ledger.openInbox()).isZero();
      softly.assertThat(asked).isEqualTo(point == Point.THINKING ? 2 : 1);
      softly.assertThat(line.twilio().violations()).isEmpty();
      softly.assertThat(line.deployment().model().violations()).isEmpty();
    });
  }

  /** Where the process dies on the way to a move that was asked for with a delay. */
  enum MovePoint {
    PENDING("move: waiting", "waiting transition"),
    BELL("move: a bell rings", "waiting transition"),
    COMMITTING("move: before the commit", "rung transition");

    private final String words;
    private final String left;

    MovePoint(String words, String left) {
      this.words = words;
      this.left = left;
    }
  }

  private static void moveAndDie(TextingLine line, MovePoint point, Database database) {
    var began = System.nanoTime();
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    // An hour, where it must not be over before the process dies.
    var text = "Move me in %d seconds".formatted(point == MovePoint.COMMITTING ? 4 : 3600);
    switch (point) {
      case PENDING -> {
        line.phone().text(number, text);
        line.awaitTexts(number, 2);
        settle(line);
        line.deployment().kill();
      }
      case BELL -> {
        line.phone().text(number, text);
        line.awaitTexts(number, 2);
        settle(line);
        Deployment.await(
            line.deployment().willDieAt("timers.quartz.QuartzBells$Look", "execute", 1));
      }
      case COMMITTING -> {
        var death = line.deployment().willDieAt("conversation.TurnCommit", "commit", 2);
        line.phone().text(number, text);
        Deployment.await(death);
      }
    }
    var left =
        String.join(
            " ",
            line.ledgerOfADeadLine()
                .words(
                    "select concat(status, ' ', kind) from wakeup where participant_id = ?"
                        + NO_NUDGE,
                    id));
    if (point != MovePoint.COMMITTING) {
      wakeupIsDue(line, id);
    }
    line.goOn();
    Awaitility.await("the move")
        .pollInterval(Duration.ofMillis(100))
        .until(() -> line.ledger().data(id, "conversationState").equals("FEEDBACK"));
    settle(line);
    var ledger = line.ledger();
    table.put(
        "move " + point + " " + database,
        "| %-42s | %-10s | %-18s | - | - | - | %2d |"
            .formatted(point.words, word(database), left, seconds(began)));
    assertSoftly(softly -> {
      softly.assertThat(left).isEqualTo(point.left);
      softly.assertThat(ledger.wakeups(id)).containsExactly("transition done");
      softly
          .assertThat(
              ledger.words(
                  "select concat(status, ' ', kind) from turn where participant_id = ? order by number",
                  id))
          .containsExactly("done enrolled", "done said", "done woke");
      softly
          .assertThat(line.sentTo(number))
          .containsExactly(CoachScript.FIRST_TEXT, CoachScript.reply(text));
    });
  }

  /** Where the process dies on the way to a text that a script has a model write. */
  private static final List<Point> SCRIPTED =
      List.of(Point.RUNG, Point.THINKING, Point.JOURNALED, Point.TAKEN, Point.NOT_RECORDED);

  private static void scriptAndDie(TextingLine line, Point point, Database database) {
    var began = System.nanoTime();
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    var time = LocalTime.now(ZoneOffset.UTC).plusMinutes(90);
    var schedule =
        Map.of(
            "to",
            number,
            "type",
            "genai",
            "system_prompt",
            "You write one short text.",
            "user_prompt",
            "Ask how the walk was.",
            "schedule",
            Map.of("hour", time.getHour(), "minute", time.getMinute()));
    assertThat(line.deployment().post("/schedule", schedule).status()).isEqualTo(201);
    settle(line);
    line.deployment().kill();
    wakeupIsDue(line, id);
    startAndDie(line, point, number, 2);
    var left =
        String.join(
            " ",
            line.ledgerOfADeadLine()
                .words(
                    "select status from wakeup where participant_id = ?"
                        + NO_NUDGE
                        + " order by created_at, status",
                    id));
    line.goOn();
    line.awaitTexts(number, 2);
    settle(line);
    var asked = line.script().asked(Step.NESTED);
    table.put(
        "script " + point + " " + database,
        "| %-42s | %-10s | %-18s | %d | %d | - | %2d |"
            .formatted(
                "script, " + point.words,
                word(database),
                left,
                asked,
                times(line, number, CoachScript.HABIT_PROMPT),
                seconds(began)));
    assertSoftly(softly -> {
      softly.assertThat(left).startsWith(point.left.replaceFirst(" .*", ""));
      softly
          .assertThat(line.sentTo(number))
          .containsExactly(CoachScript.FIRST_TEXT, CoachScript.HABIT_PROMPT);
      softly.assertThat(line.twilio().posts()).hasSameSizeAs(line.twilio().messages());
      softly
          .assertThat(line.ledger().wakeups(id))
          .containsExactlyInAnyOrder("scripted done", "scripted waiting");
      softly.assertThat(line.ledger().openInbox()).isZero();
      softly.assertThat(asked).isEqualTo(point == Point.THINKING ? 2 : 1);
      softly.assertThat(line.twilio().violations()).isEmpty();
      softly.assertThat(line.deployment().model().violations()).isEmpty();
    });
  }

  /**
   * Where the process dies on the way to a nudge, or to the later question about a prompt, which
   * are the messages that follow a silence besides the reminder.
   */
  private static final List<Point> FOLLOWING = List.of(Point.JOURNALED, Point.NOT_RECORDED);

  private static void nudgeAndDie(TextingLine line, Point point, Database database) {
    var began = System.nanoTime();
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    settle(line);
    line.deployment().kill();
    wakeupIsDue(line, id, " and kind = 'nudge'");
    startAndDie(line, point, number, 2);
    var left = statuses(line.ledgerOfADeadLine(), id, "nudge");
    line.goOn();
    line.awaitTexts(number, 2);
    settle(line);
    var ledger = line.ledger();
    table.put("nudge " + point + " " + database, row("nudge, ", point, database, left, began));
    assertSoftly(softly -> {
      softly
          .assertThat(left)
          .isEqualTo(point == Point.JOURNALED ? List.of("rung") : List.of("done", "waiting"));
      softly.assertThat(line.sentTo(number)).containsExactly(CoachScript.FIRST_TEXT, NUDGE);
      softly.assertThat(line.twilio().posts()).hasSameSizeAs(line.twilio().messages());
      softly.assertThat(statuses(ledger, id, "nudge")).containsExactly("done", "waiting");
      softly
          .assertThat(
              ledger.words("select nudged_in from participant_state where participant_id = ?", id))
          .containsExactly("INTAKE");
      softly.assertThat(ledger.openInbox()).isZero();
      softly.assertThat(line.twilio().violations()).isEmpty();
    });
  }

  private static void questionAndDie(TextingLine line, Point point, Database database) {
    var began = System.nanoTime();
    var number = Lines.nextPhone();
    var enrolled =
        line.deployment()
            .post(
                "/conversation/participants", Map.of("phone_number", number, "flow", "habit-cue"));
    var id = enrolled.body().path("result").path("id").asText();
    line.awaitTexts(number, 1);
    var zone = whereItIsDay();
    var text = CoachScript.daily(LocalTime.now(zone).plusMinutes(90), zone);
    line.phone().text(number, text);
    line.awaitTexts(number, 2);
    settle(line);
    line.deployment().kill();
    makeDue(line, id);
    line.goOn();
    line.awaitTexts(number, 3);
    Awaitility.await("the move after the prompt")
        .pollInterval(Duration.ofMillis(100))
        .until(() -> line.ledger().data(id, "conversationState").equals("FEEDBACK"));
    settle(line);
    line.deployment().kill();
    wakeupIsDue(line, id, " and kind = 'reminder'");
    startAndDie(line, point, number, 4);
    var left = statuses(line.ledgerOfADeadLine(), id, "reminder");
    line.goOn();
    line.awaitTexts(number, 4);
    settle(line);
    var ledger = line.ledger();
    table.put(
        "question " + point + " " + database, row("question, ", point, database, left, began));
    assertSoftly(softly -> {
      softly.assertThat(left).containsExactly(point == Point.JOURNALED ? "rung" : "done");
      softly
          .assertThat(line.sentTo(number))
          .containsExactly(
              CoachScript.FIRST_TEXT,
              CoachScript.reply(text),
              CoachScript.HABIT_PROMPT,
              "Did you get a chance to do it? Reply Done or Next time.");
      softly.assertThat(line.twilio().posts()).hasSameSizeAs(line.twilio().messages());
      softly
          .assertThat(ledger.wakeups(id))
          .containsExactlyInAnyOrder(
              "daily_prompt done", "auto_feedback done", "reminder done", "daily_prompt waiting");
      softly
          .assertThat(
              ledger.count(
                  "select count(*) from occurrence where participant_id = ? and asked_at is not null",
                  id))
          .isEqualTo(1);
      softly.assertThat(ledger.openInbox()).isZero();
      softly.assertThat(line.twilio().violations()).isEmpty();
    });
  }

  private static List<String> statuses(Ledger ledger, String id, String kind) {
    return ledger.words(
        "select status from wakeup where participant_id = ? and kind = ? order by due_at",
        id,
        kind);
  }

  private static String row(
      String what, Point point, Database database, List<String> left, long began) {
    return "| %-42s | %-10s | %-18s | - | - | - | %2d |"
        .formatted(what + point.words, word(database), String.join(" ", left), seconds(began));
  }

  private static String word(Database database) {
    return database.name().toLowerCase(Locale.ROOT);
  }

  private static long seconds(long began) {
    return Duration.ofNanos(System.nanoTime() - began).toSeconds();
  }

  /** A zone where today is neither young nor old. */
  static ZoneId whereItIsDay() {
    return Stream.of("UTC", "Asia/Tokyo", "America/Los_Angeles")
        .map(ZoneId::of)
        .filter(zone -> LocalTime.now(zone).getHour() >= 4 && LocalTime.now(zone).getHour() < 16)
        .findFirst()
        .orElseThrow();
  }

  /** The next minute that begins late enough to be planned before. */
  private static LocalTime soon(ZoneId zone) {
    return ZonedDateTime.now(zone).plusSeconds(75).toLocalTime();
  }

  private static void makeDue(TextingLine line, String id) {
    var due = wakeupIsDue(line, id);
    assertThat(
            line.ledgerOfADeadLine()
                .change("update occurrence set due_at = ? where participant_id = ?", due, id))
        .isOne();
  }

  private static OffsetDateTime wakeupIsDue(TextingLine line, String id) {
    return wakeupIsDue(line, id, NO_NUDGE);
  }

  private static OffsetDateTime wakeupIsDue(TextingLine line, String id, String which) {
    var due = OffsetDateTime.ofInstant(Instant.now().minusSeconds(1), ZoneOffset.UTC);
    assertThat(
            line.ledgerOfADeadLine()
                .change(
                    "update wakeup set due_at = ? where participant_id = ? and status = 'waiting'"
                        + which,
                    due,
                    id))
        .isOne();
    return due;
  }

  private static void startAndDie(TextingLine line, Point point, String number, int texts) {
    line.abandonWhatTheDeadHeld();
    switch (point) {
      case THINKING -> {
        line.script().hold(Step.NESTED);
        line.deployment().start();
        line.script().await(Step.NESTED);
        line.deployment().kill();
        line.script().release(Step.NESTED);
      }
      case TAKEN -> {
        line.twilio().then(TwilioAnswer.acceptThenHang());
        line.deployment().start();
        line.awaitTexts(number, texts);
        line.deployment().kill();
        line.twilio().release();
      }
      default -> line.deployment().startAndDieAt(point.className, point.method, point.nth);
    }
  }

  /** How far the daily prompt of today had come, as its wake-up and its occurrence tell. */
  private static String left(TextingLine line, String id, LocalDate today) {
    return String.join(
        " ",
        line.ledgerOfADeadLine()
            .words(
                "select concat(w.status, ' ', o.status) from occurrence o join wakeup w"
                    + " on w.participant_id = o.participant_id and w.guard = concat(o.local_date, '#', o.slot)"
                    + " where o.participant_id = ? and o.local_date = ? and w.kind = 'daily_prompt'",
                id,
                today.toString()));
  }

  private static long times(TextingLine line, String number, String text) {
    return line.sentTo(number).stream().filter(text::equals).count();
  }

  private static void settle(TextingLine line) {
    Awaitility.await("nothing is left to be done")
        .pollInterval(Duration.ofMillis(100))
        .until(() ->
            line.ledger().count("select count(*) from outbox where open = true")
                    + line.ledger().openInbox()
                    + line.ledger().count("select count(*) from wakeup where status = 'rung'")
                == 0);
  }
}
