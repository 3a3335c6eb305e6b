package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.LocalDate;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.timers.OccurrenceReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Staff change daily prompts: what is then sent, and what is not. */
final class ScheduleDeskTest {

  private static final Actor STAFF = new Actor("Sam", "staff");

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(ScheduleDeskTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static ScheduleDesk desk() {
    return day.line().bean(ScheduleDesk.class);
  }

  private static ScheduleDesk.WantedTime at(String time) {
    return new ScheduleDesk.WantedTime(time, null, null);
  }

  private static String schedule(Participant participant) {
    return day.line()
        .bean(OccurrenceReader.class)
        .standing(day.now(participant))
        .agenda()
        .planned()
        .getFirst()
        .schedule()
        .id();
  }

  private static String status(Participant participant, String date) {
    return String.valueOf(day.occurrence(participant, date).get("status"));
  }

  private static String due(Participant participant) {
    return day.line()
        .column(
            "SELECT wall_time FROM wakeup WHERE participant_id = ? AND kind = 'daily_prompt' AND status = 'waiting'",
            participant.id())
        .getFirst();
  }

  @Test
  void thePromptComesAtTheNewTimeAndNotAtTheOldOne() {
    var robin = day.scheduled("09:30");
    var _ = desk().change(STAFF, robin.id(), schedule(robin), at("11:00"), "asked on the phone");
    assertThat(day.ringsAt("09:30")).isZero();
    day.turnAt(robin, "11:00");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
    assertThat(due(robin)).isEqualTo(day.tomorrow() + "T11:00");
  }

  @Test
  void aSkippedDayHasNoPromptAndTheNextOneDoes() {
    var robin = day.scheduled("09:30");
    var _ = desk().skip(STAFF, robin.id(), schedule(robin), day.today(), null);
    assertThat(status(robin, day.today())).isEqualTo("skipped");
    assertThat(due(robin)).isEqualTo(day.tomorrow() + "T09:30");
    var _ = desk().unskip(STAFF, robin.id(), schedule(robin), day.today(), null);
    assertThat(due(robin)).isEqualTo(day.today() + "T09:30");
    var _ = desk().skip(STAFF, robin.id(), schedule(robin), day.tomorrow(), null);
    day.turnAt(robin, "09:30");
    assertThat(due(robin)).isEqualTo(LocalDate.parse(day.tomorrow()).plusDays(1) + "T09:30");
    assertThatThrownBy(() -> desk().skip(STAFF, robin.id(), schedule(robin), day.today(), null))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("sent, missed or skipped already");
  }

  @Test
  void todaysPromptIsSentNowAndTomorrowsStays() {
    var robin = day.scheduled("09:30");
    var _ = desk().sendNow(STAFF, robin.id(), schedule(robin), null);
    day.sweep();
    day.line().awaitTurn(robin, 3);
    day.line().awaitRest(robin);
    assertThat(day.texts(robin, "prompt")).hasSize(1);
    assertThat(status(robin, day.today())).isEqualTo("sent");
    assertThat(due(robin)).isEqualTo(day.tomorrow() + "T09:30");
    assertThatThrownBy(() -> desk().sendNow(STAFF, robin.id(), schedule(robin), null))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("sent already");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void aSkippedPromptCanStillBeSentNow() {
    var robin = day.scheduled("09:30");
    var _ = desk().skip(STAFF, robin.id(), schedule(robin), day.today(), null);
    // As on a real clock, the instant has more places than a stored wall time.
    day.line().study().advance(Duration.ofNanos(123_456_789));
    var _ = desk().sendNow(STAFF, robin.id(), schedule(robin), null);
    day.sweep();
    day.line().awaitTurn(robin, 3);
    day.line().awaitRest(robin);
    assertThat(status(robin, day.today())).isEqualTo("sent");
  }

  @Test
  void nothingIsSentNowToAParticipantWhoGetsNoMessages() {
    var robin = day.scheduled("09:30");
    day.becomes(robin, ParticipantStatus.PAUSED);
    assertThatThrownBy(() -> desk().sendNow(STAFF, robin.id(), schedule(robin), null))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("paused");
    var _ = desk().change(STAFF, robin.id(), schedule(robin), at("10:00"), null);
    assertThat(day.wakeups(robin)).doesNotContain("daily_prompt");
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(due(robin)).isEqualTo(day.today() + "T10:00");
  }

  @Test
  void aChangeWaitsForATurnThatIsRunning() throws Exception {
    var robin = day.scheduled("09:30");
    var schedule = schedule(robin);
    try (var staff = Executors.newVirtualThreadPerTaskExecutor()) {
      var changed = new AtomicReference<Future<?>>();
      day.busy(
          robin,
          () -> {
            changed.set(
                staff.submit(() -> desk().change(STAFF, robin.id(), schedule, at("11:00"), null)));
            assertThat(due(robin)).isEqualTo(day.today() + "T09:30");
          });
      changed.get().get();
    }
    assertThat(due(robin)).isEqualTo(day.today() + "T11:00");
  }

  @Test
  void aPromptThatIsDueIsNotCancelledByAChangeOfAnotherDay() {
    var robin = day.scheduled("09:30");
    day.at("09:30");
    assertThatThrownBy(() -> desk().skip(STAFF, robin.id(), schedule(robin), day.tomorrow(), null))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("due right now");
    assertThatThrownBy(() -> desk().change(STAFF, robin.id(), schedule(robin), at("8:00"), null))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("due right now");
    day.sweep();
    day.line().awaitTurn(robin, 3);
    day.line().awaitRest(robin);
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void aMissedPromptThatIsSentNowStaysLateInTheRecord() {
    var robin = day.scheduled("09:30");
    day.turnAt(robin, "15:00");
    assertThat(status(robin, day.today())).isEqualTo("missed");
    var due = day.occurrence(robin, day.today()).get("due_at");
    var _ = desk().sendNow(STAFF, robin.id(), schedule(robin), null);
    day.sweep();
    day.line().awaitTurn(robin, 4);
    day.line().awaitRest(robin);
    assertThat(status(robin, day.today())).isEqualTo("sent");
    assertThat(day.occurrence(robin, day.today()).get("due_at")).isEqualTo(due);
  }

  @Test
  void theCoachIsShownWhatStaffChanged() {
    var robin = day.scheduled("09:30");
    var _ =
        desk()
            .change(
                STAFF,
                robin.id(),
                schedule(robin),
                new ScheduleDesk.WantedTime(null, "13:00", "14:00"),
                null);
    day.line().answered(robin, "when does it come?");
    assertThat(day.fake().asked().getLast().body().toString()).contains("13:00-14:00");
  }

  @Test
  void anEndedScheduleSendsNothingMore() {
    var robin = day.scheduled("09:30");
    var _ = desk().end(STAFF, robin.id(), schedule(robin), "asked to stop");
    assertThat(day.wakeups(robin)).doesNotContain("daily_prompt");
    var _ = desk().add(STAFF, robin.id(), at("10:00"), null);
    assertThat(due(robin)).isEqualTo(day.today() + "T10:00");
  }

  @Test
  void aTimeOutsideTheAllowedHoursIsRefusedBesideItsField() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    assertThatThrownBy(() -> desk().change(STAFF, robin.id(), schedule(robin), at("3:00"), null))
        .isInstanceOfSatisfying(
            ApiProblem.class,
            problem -> {
              assertThat(problem.field()).isEqualTo(Optional.of("time"));
              assertThat(problem.sentence()).contains("08:00-21:00");
            });
  }
}
