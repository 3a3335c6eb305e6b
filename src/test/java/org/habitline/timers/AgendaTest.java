package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.habitline.participants.Zones;
import org.junit.jupiter.api.Test;

class AgendaTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Instant NOW = Instant.parse("2026-03-02T06:00:00Z");

  private static Agenda.Planned planned(String id, int slot, String time) {
    var schedule = new Schedule(id, slot, new DailyTime.Fixed(LocalTime.parse(time)), NOW);
    return new Agenda.Planned(
        schedule, Recurrence.next(schedule, BERLIN, NOW, date -> false, Duration.ZERO));
  }

  @Test
  void aScheduleInASlotThatIsTakenEndsTheOneBefore() {
    var agenda =
        Agenda.empty(BERLIN)
            .with(planned("sch_1", 1, "08:15"))
            .with(planned("sch_2", 2, "12:00"))
            .with(planned("sch_3", 1, "09:00"));
    assertThat(agenda.planned())
        .extracting(it -> it.schedule().id())
        .containsExactly("sch_2", "sch_3");
    assertThat(agenda.ended()).containsExactly("sch_1");
  }

  @Test
  void aScheduleThatEndsIsRememberedForTheTurn() {
    var agenda = Agenda.empty(BERLIN).with(planned("sch_1", 1, "08:15")).without("sch_1");
    assertThat(agenda.planned()).isEmpty();
    assertThat(agenda.planned("sch_1")).isEmpty();
    assertThat(agenda.ended()).containsExactly("sch_1");
  }

  @Test
  void everyNewScheduleMakesTheAgendaKnowOneMore() {
    var one = Agenda.empty(BERLIN).with(planned("sch_1", 1, "08:15"));
    var replaced = one.with(planned("sch_2", 1, "09:00"));
    var deleted = replaced.without("sch_2");
    assertThat(List.of(one, replaced, deleted))
        .extracting(it -> it.planned().size() + it.ended().size())
        .containsExactly(1, 2, 2);
  }

  @Test
  void aDateIsTakenInItsSlotOnly() {
    var today = LocalDate.parse("2026-03-02");
    var agenda = new Agenda(BERLIN, List.of(), Set.of(new Agenda.Taken(today, 1)), Set.of());
    assertThat(agenda.taken(1)).accepts(today).rejects(today.plusDays(1));
    assertThat(agenda.taken(2)).rejects(today);
  }

  @Test
  void anotherZoneKeepsWhatWasTakenAndEnded() {
    var tokyo = ZoneId.of("Asia/Tokyo");
    var today = new Agenda.Taken(LocalDate.parse("2026-03-02"), 1);
    var agenda = new Agenda(BERLIN, List.of(), Set.of(today), Set.of("sch_0"));
    assertThat(agenda.in(new Zones(tokyo, null), List.of()))
        .isEqualTo(new Agenda(tokyo, List.of(), Set.of(today), Set.of("sch_0")));
  }

  @Test
  void aScheduleIsShownWithIdTypeTimeAndNext() {
    assertThat(planned("sch_1", 1, "08:15").text())
        .isEqualTo("sch_1 fixed 08:15, next 2026-03-02 08:15");
  }

  @Test
  void aRandomMinuteStaysASurprise() {
    var window = new DailyTime.Random(LocalTime.of(8, 0), LocalTime.of(9, 0));
    var schedule = new Schedule("sch_1", 1, window, NOW);
    var next = Recurrence.next(schedule, BERLIN, NOW, date -> false, Duration.ZERO);
    assertThat(new Agenda.Planned(schedule, next).text())
        .isEqualTo("sch_1 random 08:00-09:00, next 2026-03-02 between 08:00 and 09:00");
  }
}
