package org.habitline.study.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.study.figures.Figures;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What differed from the plan of the study is found each night. It is the 21st, 07:15 UTC. */
final class FidelityTest {

  private static final Instant BEGIN = Instant.parse("2026-11-21T07:15:00Z");
  private static final Instant DUE = Instant.parse("2026-11-21T09:00:00Z");

  private static final Pattern ASKED = Pattern.compile("\"modelAsked\":\"([^\"]+)\"");

  private static RunningLine line;
  private static Rows rows;
  private static Fidelity fidelity;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(FidelityTest.class)
            .study("monitoring: {silent_after_days: 2}\nbudgets: {time_zone: Europe/Berlin}\n")
            .start();
    rows = Rows.of(line);
    fidelity = line.bean(Fidelity.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** Each test has the same days for itself: what a day counts is that of the whole study. */
  @BeforeEach
  void begin() {
    line.bean(Participants.class)
        .list(new Participants.Filter(null, null), Long.MAX_VALUE, 100)
        .participants()
        .forEach(line::awaitRest);
    await().until(() -> line.rows("SELECT id FROM participant WHERE erasing <> 'no'").isEmpty());
    rows.forgetEverybody();
    rows.write("DELETE FROM deviation");
    rows.write("DELETE FROM fidelity_day");
    rows.write("DELETE FROM prompt_text WHERE sha256 = 'other'");
    line.study().advance(Duration.between(line.study().instant(), BEGIN));
  }

  private static void prompt(
      Participant of, String status, @Nullable String reason, @Nullable Instant sentAt) {
    rows.prompt(new Rows.Prompt(of.id(), "2026-11-21", status, DUE, reason, sentAt, null, false));
  }

  private static List<String> found() {
    return line.rows("SELECT kind, participant_id, reason FROM deviation ORDER BY seq").stream()
        .map(row -> row.get("kind") + " " + row.get("participant_id") + " " + row.get("reason"))
        .toList();
  }

  private static Map<String, Object> day(String date) {
    return line.rows("SELECT * FROM fidelity_day WHERE local_date = ?", date).getFirst();
  }

  /** The fake answers under another name; from here on it is the one asked, with this suffix. */
  private static void theModelAskedAnswers(String suffix) {
    var answer = line.column("SELECT answer FROM iteration WHERE answer IS NOT NULL").getFirst();
    var asked = ASKED.matcher(answer);
    assertThat(asked.find()).isTrue();
    rows.write("UPDATE iteration SET model = ? WHERE model IS NOT NULL", asked.group(1) + suffix);
  }

  private static void untilTheNextNight() {
    line.study().advance(Duration.ofDays(1));
    fidelity.lookAtMissedDays();
  }

  @Test
  void eachDifferenceOfADayIsFoundOnce() {
    var missed = line.greeted();
    var late = line.enrol(ChannelKind.SIMULATOR);
    var forgotten = line.enrol(ChannelKind.SIMULATOR);
    line.awaitTurn(late, 1);
    line.awaitTurn(forgotten, 1);
    prompt(missed, "missed", "it was more than 2 h late", null);
    prompt(late, "sent", null, DUE.plus(Duration.ofMinutes(40)));
    prompt(forgotten, "sent", null, DUE.plus(Duration.ofMinutes(5)));
    rows.write(
        "UPDATE occurrence SET prompted_at = sent_at, asked_at = sent_at, reminder_due_at = ?"
            + " WHERE participant_id = ?",
        DUE.plus(Duration.ofHours(3)),
        forgotten.id());
    line.fake().then(Scripted.status(400));
    assertThat(line.answered(missed, "and now?")).containsEntry("outcome", "model_failed");
    theModelAskedAnswers("");
    rows.write(
        "INSERT INTO prompt_text (sha256, file, content, first_seen)"
            + " SELECT 'other', MIN(file), 'Talk.', CAST(? AS timestamp(6) with time zone) FROM prompt_text",
        DUE);
    rows.write(
        "UPDATE iteration SET model = 'another-model' WHERE participant_id = ? AND model IS NOT NULL",
        late.id());
    text("msg_alone", forgotten, 99, "user", "participant", DUE.plus(Duration.ofHours(5)));

    untilTheNextNight();

    var expected =
        List.of(
            "prompt_missed " + missed.id() + " it was more than 2 h late",
            "prompt_late " + late.id() + " 40 min",
            "follow_up_missed " + forgotten.id() + " null",
            "fallback " + missed.id() + " model_failed",
            "unanswered_text " + forgotten.id() + " null",
            "model_changed " + late.id() + " another-model",
            "prompt_file_changed null "
                + line.column("SELECT file FROM prompt_text WHERE sha256 = 'other'").getFirst());
    assertThat(found()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(day("2026-11-21"))
        .containsEntry("prompts_planned", 3L)
        .containsEntry("prompts_sent", 2L)
        .containsEntry("prompts_late", 1L)
        .containsEntry("prompts_missed", 1L)
        .containsEntry("follow_ups_due", 1L)
        .containsEntry("follow_ups_sent", 0L)
        .containsEntry("turns", 4L)
        .containsEntry("fallbacks", 1L)
        .containsEntry("texts", 2L)
        .containsEntry("unanswered", 1L)
        .containsEntry("model_calls", 4L)
        .containsEntry("other_models", 1L);

    fidelity.lookAtMissedDays();
    rows.write("DELETE FROM fidelity_day");
    fidelity.lookAtMissedDays();
    fidelity.lookNow();
    assertThat(found()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void aMessageSentAgainAnswersOnlyTheTextThatItsFirstDeliveryAnswered() {
    var robin = line.greeted();
    text("msg_before", robin, 90, "user", "participant", DUE);
    text("msg_reply", robin, 90, "assistant", "bot", DUE.plusSeconds(5));
    text("msg_after", robin, 91, "user", "participant", DUE.plus(Duration.ofHours(2)));
    var again =
        "INSERT INTO outbox (id, participant_id, message_id, kind, channel, body, status, open,"
            + " attempts, provider_id, planned_at, said_at, expires_at, retry_of)"
            + " VALUES (?, ?, 'msg_reply', 'reply', 'simulator', 'Well.', ?, FALSE, 1, ?, ?, ?, ?, ?)";
    rows.write(again, "dlv_1", robin.id(), "refused", null, DUE, DUE.plusSeconds(5), DUE, null);
    var later = DUE.plus(Duration.ofHours(3));
    rows.write(again, "dlv_2", robin.id(), "failed", "SM2", later, later, later, "dlv_1");
    later = later.plus(Duration.ofHours(1));
    rows.write(again, "dlv_3", robin.id(), "accepted", "SM3", later, later, later, "dlv_2");

    untilTheNextNight();

    assertThat(line.column("SELECT turn FROM deviation WHERE kind = 'unanswered_text'"))
        .containsExactly("91");
    assertThat(day("2026-11-21")).containsEntry("texts", 2L).containsEntry("unanswered", 1L);
  }

  private static void text(
      String id, Participant of, int turn, String role, String author, Instant at) {
    rows.write(
        "INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)"
            + " VALUES (?, ?, ?, 'Well.', 'simulator', ?, ?, ?)",
        id,
        of.id(),
        role,
        turn,
        author,
        at);
  }

  @Test
  void aReminderThatANewerPromptReplacedIsNoDeviationAndALostOneIs() {
    var robin = line.greeted();
    theModelAskedAnswers("");
    for (int slot = 4; slot >= 1; slot--) {
      prompt(robin, "sent", null, DUE);
      rows.write(
          "UPDATE occurrence SET slot = ?, prompted_at = sent_at, asked_at = sent_at, reminder_due_at = ?,"
              + " follow_up = ? WHERE participant_id = ? AND slot = 1",
          slot,
          DUE.plus(Duration.ofHours(3)),
          List.of("due", "replaced", "lost", "not_wanted").get(slot - 1),
          robin.id());
    }
    untilTheNextNight();
    assertThat(line.column("SELECT slot FROM deviation WHERE kind = 'follow_up_missed'"))
        .containsExactlyInAnyOrder("1", "3");
    assertThat(day("2026-11-21"))
        .containsEntry("follow_ups_due", 2L)
        .containsEntry("follow_ups_sent", 0L);
  }

  @Test
  void aSnapshotOfTheModelAskedIsNoOtherModel() {
    line.greeted();
    theModelAskedAnswers("-2026-08-06");
    untilTheNextNight();
    assertThat(found()).isEmpty();
    assertThat(day("2026-11-21")).containsEntry("model_calls", 1L);
  }

  @Test
  void aSilenceIsFoundOnceAndAgainAfterAText() {
    var robin = line.greeted();
    line.fake().then(Scripted.say("Good."));
    line.answered(robin, "hello");
    theModelAskedAnswers("");
    untilTheNextNight();
    untilTheNextNight();
    untilTheNextNight();
    assertThat(found()).isEmpty();
    untilTheNextNight();
    var silence = "silent_participant " + robin.id() + " last text 2026-11-21";
    assertThat(found()).containsExactly(silence);
    assertThat(day("2026-11-24")).containsEntry("silent", 1L).containsEntry("participants", 1L);

    line.fake().then(Scripted.say("Welcome back."));
    line.answered(robin, "I am back");
    theModelAskedAnswers("");
    untilTheNextNight();
    assertThat(day("2026-11-25")).containsEntry("silent", 0L);
    untilTheNextNight();
    untilTheNextNight();
    untilTheNextNight();
    assertThat(found())
        .containsExactly(silence, "silent_participant " + robin.id() + " last text 2026-11-25");

    line.bean(Participants.class).leave(robin.id(), false);
    await()
        .untilAsserted(() ->
            assertThat(line.rows("SELECT * FROM deviation WHERE participant_id = ?", robin.id()))
                .isEmpty());
  }

  @Test
  void aDayCountsThoseAsSilentWhomTheStudyPageShowedAsSilent() {
    var robin = line.greeted();
    line.fake().then(Scripted.say("Good."));
    line.answered(robin, "hello");
    var neverTexted = line.enrol(ChannelKind.SIMULATOR);
    line.awaitTurn(neverTexted, 1);
    var figures = line.bean(Figures.class);
    var shown = new ArrayList<Long>();
    var counted = new ArrayList<Object>();
    for (int night = 1; night <= 4; night++) {
      var today = figures.today();
      var dropOut = figures.of(figures.last(1)).dropOut();
      shown.add(dropOut.droppedOut() - dropOut.left());
      untilTheNextNight();
      counted.add(day(today.toString()).get("silent"));
    }
    assertThat(counted).isEqualTo(shown).containsExactly(0L, 0L, 1L, 2L);
  }

  @Test
  void daysWithoutALookAreCaughtUpButNoMoreThanAMonth() {
    fidelity.lookAtMissedDays();
    assertThat(line.column("SELECT local_date FROM fidelity_day ORDER BY local_date"))
        .containsExactly("2026-11-19", "2026-11-20");
    line.study().advance(Duration.ofDays(3));
    fidelity.lookAtMissedDays();
    assertThat(line.column("SELECT local_date FROM fidelity_day ORDER BY local_date"))
        .containsExactly("2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23");
    line.study().advance(Duration.ofDays(100));
    fidelity.lookAtMissedDays();
    assertThat(line.column("SELECT local_date FROM fidelity_day")).hasSize(5 + 31 + 1);
  }

  @Test
  void theNightBeginsAtThreeOClockInTheStudysZone() {
    fidelity.lookAtMissedDays();
    // Half past two in Berlin on the 22nd.
    line.study().advance(Duration.ofHours(18).plusMinutes(15));
    fidelity.lookAtMissedDays();
    assertThat(line.column("SELECT MAX(local_date) FROM fidelity_day"))
        .containsExactly("2026-11-20");
    line.study().advance(Duration.ofMinutes(30));
    fidelity.lookAtMissedDays();
    assertThat(line.column("SELECT MAX(local_date) FROM fidelity_day"))
        .containsExactly("2026-11-21");
  }
}
