package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.SomeParticipant;
import org.habitline.participants.ZoneMove;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SchedulerTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");

  /** A Monday in winter, seven in the morning in Berlin and one at night in New York. */
  private static final Instant NOW = Instant.parse("2026-03-02T06:00:00Z");

  private final Scheduler tool = new Scheduler(Habit.TIMES);

  private static Flow flow(int most) {
    return Habit.flow(Habit.flow().promptGenerator(), Habit.daily(most));
  }

  private static ToolRun run(Agenda agenda) {
    return run(agenda, 1, ChannelKind.SMS);
  }

  private static ToolRun run(Agenda agenda, int most, ChannelKind channel) {
    var participant = SomeParticipant.of(BERLIN, channel, ParticipantStatus.ACTIVE, false, NOW);
    var copy =
        new WorkingCopy("INTAKE", null, Habit.profile(Map.of()), null, null, agenda, Records.NONE);
    return new ToolRun(
        participant, flow(most), "INTAKE", copy, NOW, Habit::prompt, Habit.saying("unasked"));
  }

  private static ToolRun fresh() {
    return run(Agenda.empty(BERLIN));
  }

  /** Arguments as name, value, name, value … */
  private ToolOutcome call(ToolRun run, String action, String... arguments) {
    return call(tool, run, action, arguments);
  }

  private static ToolOutcome call(Scheduler tool, ToolRun run, String action, String... arguments) {
    var given = JsonNodeFactory.instance.objectNode().put("action", action);
    for (int i = 0; i < arguments.length; i += 2) {
      given.put(arguments[i], arguments[i + 1]);
    }
    return tool.call(run, given);
  }

  private ToolRun after(ToolRun run, String... arguments) {
    var outcome = call(run, "create", arguments);
    assertThat(outcome.failed()).as(outcome.result().toString()).isFalse();
    return Habit.after(run, outcome);
  }

  private static String said(ToolOutcome outcome, String field) {
    return outcome.result().path(field).asText();
  }

  private static Agenda.Planned planned(ToolOutcome outcome) {
    return ((Effect.Plan) outcome.effects().getLast()).planned();
  }

  private static String only(ToolRun run) {
    assertThat(run.copy().agenda().planned()).hasSize(1);
    return run.copy().agenda().planned().getFirst().schedule().id();
  }

  @Test
  void aFixedTimeIsPlannedForTodayIfItIsStillAhead() {
    var outcome = call(fresh(), "create", "type", "fixed", "fixed_time", "8:15");
    assertThat(outcome.effects()).hasSize(1);
    var planned = planned(outcome);
    assertThat(planned.schedule().time()).isEqualTo(new DailyTime.Fixed(LocalTime.of(8, 15)));
    assertThat(planned.schedule().slot()).isEqualTo(1);
    assertThat(planned.schedule().createdAt()).isEqualTo(NOW);
    assertThat(planned.next().at()).isEqualTo(Instant.parse("2026-03-02T07:15:00Z"));
    assertThat(outcome.result())
        .isEqualTo(
            Habit.json(
                """
                {"status":"success","schedule_id":"%s","type":"fixed","local_time":"08:15",
                 "timezone":"Europe/Berlin","next_at_local":"2026-03-02 08:15",
                 "message":"A prompt comes every day at 08:15 (Europe/Berlin), the first on 2026-03-02."}
                """
                    .formatted(planned.schedule().id())));
  }

  @Test
  void aRandomTimeIsDrawnFromItsWindowAndTheMinuteIsNotForTheParticipant() {
    var outcome =
        call(
            fresh(),
            "create",
            "type",
            "random",
            "random_start_time",
            "08:00",
            "random_end_time",
            "9:00");
    var next = planned(outcome).next();
    assertThat(next.wall().toLocalTime())
        .isAfterOrEqualTo(LocalTime.of(8, 0))
        .isBefore(LocalTime.of(9, 0));
    assertThat(said(outcome, "local_time")).isEqualTo("08:00-09:00");
    assertThat(said(outcome, "next_at_local")).isEqualTo("2026-03-02 between 08:00 and 09:00");
    assertThat(said(outcome, "message"))
        .isEqualTo(
            "A prompt comes every day at some time between 08:00 and 09:00 (Europe/Berlin), the"
                + " first on 2026-03-02.");
  }

  @Test
  void theTypeIsClearFromTheTimesGiven() {
    assertThat(said(call(fresh(), "create", "fixed_time", "8:15"), "type")).isEqualTo("fixed");
    assertThat(
            said(
                call(fresh(), "create", "random_start_time", "8:00", "random_end_time", "9:00"),
                "type"))
        .isEqualTo("random");
  }

  @Test
  void withoutATimeTheUsualOneIsTaken() {
    assertThat(said(call(fresh(), "create"), "local_time")).isEqualTo("11:15");
    assertThat(said(call(fresh(), "create", "type", "fixed"), "local_time")).isEqualTo("11:15");
    assertThat(said(call(fresh(), "create", "fixed_time", " "), "local_time")).isEqualTo("11:15");
  }

  @Test
  void aNewScheduleTakesThePlaceOfTheOneBeforeAndSaysSo() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome = call(one, "create", "fixed_time", "12:00");
    assertThat(said(outcome, "replaced")).isEqualTo(only(one));
    assertThat(said(outcome, "message"))
        .endsWith("in place of the one at 08:15. Ask whether the moment they chose still fits.");
    assertThat(outcome.effects()).hasSize(1);
    assertThat(only(Habit.after(one, outcome))).isEqualTo(said(outcome, "schedule_id"));
  }

  @Test
  void aDayThatHadItsPromptGetsNoSecondOneFromANewSchedule() {
    var agenda =
        new Agenda(
            BERLIN,
            List.of(),
            Set.of(new Agenda.Taken(LocalDate.parse("2026-03-02"), 1)),
            Set.of());
    assertThat(said(call(run(agenda), "create", "fixed_time", "20:00"), "next_at_local"))
        .isEqualTo("2026-03-03 20:00");
  }

  @Test
  void theSameTimeAgainChangesNothingAndNamesTheSchedule() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome = call(one, "create", "fixed_time", "08:15", "timezone", "Europe/Berlin");
    assertThat(said(outcome, "status")).isEqualTo("noop");
    assertThat(said(outcome, "schedule_id")).isEqualTo(only(one));
    assertThat(said(outcome, "message")).contains(only(one));
    assertThat(said(outcome, "next_at_local")).isEqualTo("2026-03-02 08:15");
  }

  @Test
  void aTurnThatIsResumedSaysTheSameAgain() {
    String[] arguments = {"random_start_time", "8:00", "random_end_time", "20:00"};
    assertThat(call(fresh(), "create", arguments)).isEqualTo(call(fresh(), "create", arguments));
  }

  @Test
  void everyScheduleOfATurnHasAnIdOfItsOwn() {
    var ids = new ArrayList<String>();
    var run = fresh();
    for (var time : List.of("8:15", "9:00", "10:00")) {
      run = after(run, "fixed_time", time);
      ids.add(only(run));
    }
    run = Habit.after(run, call(run, "delete"));
    run = after(run, "fixed_time", "8:15");
    ids.add(only(run));
    assertThat(ids).allSatisfy(id -> assertThat(id).matches("sch_[0-9a-f]{24}"));
    assertThat(new HashSet<>(ids)).hasSize(4);
  }

  @Test
  void schedulingInAnotherZoneMovesTheParticipantThere() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome = call(one, "create", "fixed_time", "9:00", "timezone", "America/New_York");
    assertThat(outcome.effects()).hasSize(2);
    var move = (Effect.MoveZone) outcome.effects().getFirst();
    assertThat(move.change()).isEqualTo(ParticipantChange.ofZone(NEW_YORK));
    assertThat(move.agenda().zone()).isEqualTo(NEW_YORK);
    assertThat(move.agenda().planned())
        .singleElement()
        .satisfies(before -> {
          assertThat(before.schedule().id()).isEqualTo(only(one));
          assertThat(before.next().at()).isEqualTo(Instant.parse("2026-03-02T13:15:00Z"));
        });
    assertThat(planned(outcome).next().at()).isEqualTo(Instant.parse("2026-03-02T14:00:00Z"));
    assertThat(said(outcome, "timezone")).isEqualTo("America/New_York");
    assertThat(said(outcome, "timezone_before")).isEqualTo("Europe/Berlin");
    assertThat(said(outcome, "message")).contains("America/New_York");

    var agenda = Habit.after(one, outcome).copy().agenda();
    assertThat(agenda.zone()).isEqualTo(NEW_YORK);
    assertThat(agenda.planned()).containsExactly(planned(outcome));
  }

  @Test
  void aMoveWithADateLeavesTheDaysBeforeItInTheOldZone() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome =
        call(
            one,
            "create",
            "fixed_time",
            "8:15",
            "timezone",
            "America/New_York",
            "timezone_from",
            "2026-03-04");
    assertThat(outcome.effects())
        .singleElement()
        .extracting(it -> ((Effect.MoveZone) it).change())
        .isEqualTo(ParticipantChange.ofMove(new ZoneMove(NEW_YORK, LocalDate.parse("2026-03-04"))));
    assertThat(outcome.result().path("timezone").asText()).isEqualTo("Europe/Berlin");
    assertThat(said(outcome, "timezone_next")).isEqualTo("America/New_York");
    assertThat(said(outcome, "timezone_from")).isEqualTo("2026-03-04");
    assertThat(said(outcome, "message"))
        .contains("08:15 (Europe/Berlin), the next on 2026-03-02.")
        .endsWith(
            "Prompts keep to Europe/Berlin until 2026-03-04 has begun there and in"
                + " America/New_York; the first one there comes on 2026-03-04.");
    var planned = Habit.after(one, outcome).copy().agenda();
    assertThat(planned.zone()).isEqualTo(BERLIN);
    assertThat(planned.planned().getFirst().next().at())
        .isEqualTo(Instant.parse("2026-03-02T07:15:00Z"));
  }

  @Test
  void aPlannedMoveIsSaidAgainWithEveryLaterCall() {
    var moving =
        after(
            after(fresh(), "fixed_time", "8:15"),
            "timezone",
            "Pacific/Auckland",
            "timezone_from",
            "2026-03-04");
    for (var outcome :
        List.of(
            call(moving, "create", "fixed_time", "8:15"),
            call(moving, "create", "fixed_time", "8:30"),
            call(moving, "create", "timezone", "Pacific/Auckland", "timezone_from", "2026-03-04"),
            call(moving, "list"))) {
      assertThat(said(outcome, "timezone_next")).isEqualTo("Pacific/Auckland");
      assertThat(said(outcome, "timezone_from")).isEqualTo("2026-03-04");
      // The 4th begins in Berlin at noon in Auckland.
      assertThat(said(outcome, "message")).endsWith("the first one there comes on 2026-03-05.");
    }
  }

  @Test
  void aZoneWithoutATimeKeepsTheTimes() {
    var one = after(fresh(), "random_start_time", "8:00", "random_end_time", "9:00");
    var outcome =
        call(one, "create", "timezone", "America/New_York", "timezone_from", "2026-03-03");
    assertThat(outcome.effects()).singleElement().isInstanceOf(Effect.MoveZone.class);
    assertThat(outcome.result().path("schedules").path(0).path("local_time").asText())
        .isEqualTo("08:00-09:00");
    assertThat(only(Habit.after(one, outcome))).isEqualTo(only(one));
    assertThat(said(call(one, "create", "timezone", "Europe/Berlin"), "status")).isEqualTo("noop");
  }

  @Test
  void whoeverIsThereNowMovesNoMore() {
    var one = after(fresh(), "fixed_time", "8:15");
    var moving = after(one, "timezone", "Asia/Tokyo", "timezone_from", "2026-03-09");
    var stays = call(moving, "create", "timezone", "Europe/Berlin");
    assertThat(stays.effects())
        .singleElement()
        .extracting(it -> ((Effect.MoveZone) it).change())
        .isEqualTo(ParticipantChange.ofZone(BERLIN));
    assertThat(said(stays, "message"))
        .contains("The move to Asia/Tokyo on 2026-03-09, planned before, no longer holds.");
    assertThat(stays.result().has("timezone_before")).isFalse();
    assertThat(stays.result().has("timezone_next")).isFalse();
    var today = call(one, "create", "timezone", "Asia/Tokyo", "timezone_from", "2026-03-02");
    assertThat(Habit.after(one, today).copy().agenda().zone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
  }

  @ParameterizedTest
  @CsvSource({
    "Asia/Tokyo, 2026-03-01, 'give a date from today, 2026-03-02, to 2027-03-02'",
    "Asia/Tokyo, 2027-03-03, 'give a date from today, 2026-03-02, to 2027-03-02'",
    "Asia/Tokyo, 9999-12-31, 'give a date from today, 2026-03-02, to 2027-03-02'",
    "Asia/Tokyo, next Friday, as yyyy-MM-dd",
    "Asia/Tokyo, 2026-02-30, as yyyy-MM-dd",
    "Europe/Berlin, 2026-03-20, set up the way back when they are away",
    ", 2026-03-20, name that zone in timezone",
  })
  void aDateThatIsNotAcceptedChangesNothingAndSaysWhatIs(
      @Nullable String zone, String date, String says) {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome =
        zone == null
            ? call(one, "create", "timezone_from", date)
            : call(one, "create", "timezone", zone, "timezone_from", date);
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.effects()).isEmpty();
    assertThat(said(outcome, "field")).isEqualTo("timezone_from");
    assertThat(said(outcome, "message")).contains(says);
  }

  @Test
  void aScheduleWithoutATimeIsToBeTold() {
    assertThat(said(call(fresh(), "create"), "note")).contains("No time was given", "usual time");
    assertThat(call(fresh(), "create", "fixed_time", "8:15").result().has("note")).isFalse();
  }

  @Test
  void theSameTimeInAnotherZoneMovesTheScheduleThere() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome = call(one, "create", "fixed_time", "8:15", "timezone", "America/New_York");
    assertThat(outcome.effects()).singleElement().isInstanceOf(Effect.MoveZone.class);
    assertThat(said(outcome, "schedule_id")).isEqualTo(only(one));
    assertThat(said(outcome, "message"))
        .isEqualTo("A prompt comes every day at 08:15 (America/New_York), the next on 2026-03-02.");
    assertThat(only(Habit.after(one, outcome))).isEqualTo(only(one));
  }

  @Test
  void aDateThatHadItsPromptBeforeTheMoveGetsNoneAfterIt() {
    var taken = Set.of(new Agenda.Taken(LocalDate.parse("2026-03-02"), 1));
    var run = after(run(new Agenda(BERLIN, List.of(), taken, Set.of())), "fixed_time", "8:15");
    var moved = after(run, "fixed_time", "8:15", "timezone", "America/New_York");
    assertThat(moved.copy().agenda().planned().getFirst().next().text())
        .isEqualTo("2026-03-03 08:15");
  }

  @Test
  void aFlowThatAllowsMoreGivesEachScheduleTheLowestFreeSlot() {
    var run = run(Agenda.empty(BERLIN), 3, ChannelKind.SMS);
    run = after(run, "fixed_time", "8:15");
    run = after(run, "fixed_time", "12:00");
    run = after(run, "fixed_time", "20:00");
    var first = run.copy().agenda().planned().getFirst().schedule().id();
    run = Habit.after(run, call(run, "delete", "schedule_id", first));
    var outcome = call(run, "create", "fixed_time", "9:00");
    assertThat(planned(outcome).schedule().slot()).isEqualTo(1);
    assertThat(outcome.result().has("replaced")).isFalse();
    assertThat(Habit.after(run, outcome).copy().agenda().planned()).hasSize(3);
  }

  @Test
  void aFlowThatIsFullSaysWhatToDeleteFirst() {
    var run = run(Agenda.empty(BERLIN), 2, ChannelKind.SMS);
    run = after(run, "fixed_time", "20:00");
    run = after(run, "fixed_time", "8:15");
    var outcome = call(run, "create", "fixed_time", "9:00", "timezone", "Asia/Tokyo");
    assertThat(outcome.failed()).isTrue();
    assertThat(said(outcome, "message")).contains("2 daily prompts", "delete one");
    assertThat(outcome.result().path("schedules"))
        .extracting(it -> it.path("local_time").asText())
        .containsExactlyInAnyOrder("08:15", "20:00");
  }

  @Test
  void afterAFlowAllowedMoreTheNewScheduleTakesThePlaceOfAll() {
    var run = run(Agenda.empty(BERLIN), 2, ChannelKind.SMS);
    run = after(run, "fixed_time", "8:15");
    run = after(run, "fixed_time", "20:00");
    var before = run.copy().agenda();
    var edited = run(before);
    var outcome = call(edited, "create", "fixed_time", "12:00");
    assertThat(said(outcome, "replaced"))
        .contains(before.planned().stream().map(it -> it.schedule().id()).toList());
    assertThat(only(Habit.after(edited, outcome))).isEqualTo(said(outcome, "schedule_id"));
  }

  private static Arguments refused(
      String what, String field, String sentence, String... arguments) {
    return Arguments.of(what, field, sentence, arguments);
  }

  static Stream<Arguments> badTimes() {
    var notATime = "expected H:mm on the 24-hour clock";
    var oneKind = "Give fixed_time for the same time every day, or random_start_time";
    return Stream.of(
        refused("no hour", "fixed_time", notATime, "fixed_time", "25:00"),
        refused("no minute", "fixed_time", notATime, "fixed_time", "7:60"),
        refused("midnight at the end", "fixed_time", notATime, "fixed_time", "24:00"),
        refused("am", "fixed_time", "'8am' is not a time", "fixed_time", "8am"),
        refused("seconds", "fixed_time", notATime, "fixed_time", "08:15:00"),
        refused("words", "fixed_time", notATime, "fixed_time", "in the morning"),
        refused("a novel", "fixed_time", "at most 20", "fixed_time", "8".repeat(700)),
        refused("other digits", "fixed_time", notATime, "fixed_time", "٨:١٥"),
        refused(
            "a bad start",
            "random_start_time",
            notATime,
            "random_start_time",
            "8",
            "random_end_time",
            "9:00"),
        refused(
            "no end",
            "random_end_time",
            "give both",
            "type",
            "random",
            "random_start_time",
            "8:00"),
        refused("no start", "random_start_time", "give both", "random_end_time", "8:00"),
        refused("no window", "random_start_time", "give both", "type", "random"),
        refused(
            "end before start",
            "random_end_time",
            "ends at 08:00, which is not after its start at 09:00",
            "random_start_time",
            "9:00",
            "random_end_time",
            "8:00"),
        refused(
            "end at start",
            "random_end_time",
            "For one time give fixed_time",
            "random_start_time",
            "9:00",
            "random_end_time",
            "9:00"),
        refused(
            "both kinds",
            "fixed_time",
            oneKind,
            "fixed_time",
            "8:15",
            "random_start_time",
            "8:00",
            "random_end_time",
            "9:00"),
        refused(
            "both kinds, fixed meant",
            "random_end_time",
            oneKind,
            "type",
            "fixed",
            "fixed_time",
            "8:15",
            "random_end_time",
            "9:00"),
        refused(
            "fixed with a window",
            "random_start_time",
            "type fixed takes fixed_time",
            "type",
            "fixed",
            "random_start_time",
            "8:00",
            "random_end_time",
            "9:00"),
        refused(
            "random with one time",
            "fixed_time",
            "type random takes the window",
            "type",
            "random",
            "fixed_time",
            "8:15"),
        refused("too early", "fixed_time", "within 08:00-21:00", "fixed_time", "7:59"),
        refused("too late", "fixed_time", "21:01 is not possible", "fixed_time", "21:01"),
        refused(
            "a window that starts too early",
            "random_start_time",
            "within 08:00-21:00",
            "random_start_time",
            "7:00",
            "random_end_time",
            "9:00"),
        refused(
            "a window that ends too late",
            "random_end_time",
            "20:00-22:00 is not possible",
            "random_start_time",
            "20:00",
            "random_end_time",
            "22:00"),
        refused("no zone", "timezone", "IANA name", "timezone", "Mars/Olympus"),
        refused("a city", "timezone", "Europe/Paris", "timezone", "Paris"),
        refused("an offset", "timezone", "IANA name", "timezone", "+02:00"),
        refused("an id", "schedule_id", "leave schedule_id null", "schedule_id", "sch_1"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badTimes")
  void aScheduleThatCannotBeIsRefusedWithASentence(
      String what, String field, String sentence, String... arguments) {
    var outcome = call(fresh(), "create", arguments);
    assertThat(outcome.failed()).as(what).isTrue();
    assertThat(outcome.effects()).isEmpty();
    assertThat(said(outcome, "field")).isEqualTo(field);
    assertThat(said(outcome, "message")).contains(sentence);
  }

  @Test
  void aWordThatIsNoChoiceIsRefusedWithTheChoices() {
    var action = call(fresh(), "update");
    assertThat(said(action, "field")).isEqualTo("action");
    assertThat(action.result().path("valid_values"))
        .extracting(JsonNode::asText)
        .containsExactly("create", "list", "delete");
    var type = call(fresh(), "create", "type", "weekly");
    assertThat(said(type, "field")).isEqualTo("type");
    assertThat(type.result().path("valid_values"))
        .extracting(JsonNode::asText)
        .containsExactly("fixed", "random");
  }

  @Test
  void bothEndsOfTheAllowedHoursAreAllowed() {
    assertThat(call(fresh(), "create", "fixed_time", "8:00").failed()).isFalse();
    assertThat(call(fresh(), "create", "fixed_time", "21:00").failed()).isFalse();
    var whole = call(fresh(), "create", "random_start_time", "8:00", "random_end_time", "21:00");
    assertThat(whole.failed()).isFalse();
  }

  @Test
  void theSimulatorMayBeTextedAtAnyHour() {
    var run = run(Agenda.empty(BERLIN), 1, ChannelKind.SIMULATOR);
    assertThat(call(run, "create", "fixed_time", "3:00").failed()).isFalse();
  }

  @Test
  void aPromptThatLeavesEarlyMustLeaveWithinTheAllowedHours() {
    var early = new Scheduler(Habit.times("08:00-21:00", Duration.ofMinutes(10)));
    var refused = call(early, fresh(), "create", "fixed_time", "8:09");
    assertThat(said(refused, "field")).isEqualTo("fixed_time");
    assertThat(said(refused, "message")).contains("08:00-21:00", "10 minutes before");
    var planned = planned(call(early, fresh(), "create", "fixed_time", "8:10"));
    assertThat(planned.next().text()).isEqualTo("2026-03-02 08:10");
    assertThat(planned.next().at()).isEqualTo(Instant.parse("2026-03-02T07:00:00Z"));
    assertThat(call(early, fresh(), "create", "fixed_time", "21:10").failed()).isFalse();
  }

  @Test
  void aWindowThatLeavesEarlyOverMidnightIsAllowedAsAWholeOrNotAtAll() {
    var early = new Scheduler(Habit.times("00:30-23:50", Duration.ofMinutes(60)));
    String[] overMidnight = {"random_start_time", "0:40", "random_end_time", "2:00"};
    assertThat(said(call(early, fresh(), "create", overMidnight), "field"))
        .isEqualTo("random_end_time");
  }

  @Test
  void aUsualTimeOutsideTheAllowedHoursIsRefusedAsWell() {
    var evening = new Scheduler(Habit.times("18:00-21:00", Duration.ZERO));
    var outcome = call(evening, fresh(), "create");
    assertThat(said(outcome, "field")).isEqualTo("fixed_time");
    assertThat(said(outcome, "message")).contains("18:00-21:00", "11:15");
  }

  @Test
  void theListShowsWhatIsActiveSoonestFirst() {
    var run = run(Agenda.empty(BERLIN), 2, ChannelKind.SMS);
    run = after(run, "fixed_time", "20:00");
    run = after(run, "random_start_time", "9:00", "random_end_time", "10:00");
    var outcome = call(run, "list");
    assertThat(outcome.effects()).isEmpty();
    assertThat(said(outcome, "status")).isEqualTo("success");
    assertThat(outcome.result().path("schedules"))
        .extracting(it -> it.path("local_time").asText())
        .containsExactly("09:00-10:00", "20:00");
    var last = outcome.result().path("schedules").path(1);
    assertThat(last)
        .isEqualTo(
            Habit.json(
                """
                {"schedule_id":"%s","type":"fixed","local_time":"20:00",
                 "timezone":"Europe/Berlin","next_at_local":"2026-03-02 20:00"}
                """
                    .formatted(run.copy().agenda().planned().getFirst().schedule().id())));
  }

  @Test
  void anEmptyListSaysSo() {
    var outcome = call(fresh(), "list");
    assertThat(outcome.result().path("schedules").isArray()).isTrue();
    assertThat(said(outcome, "message")).isEqualTo("No daily prompt is scheduled.");
  }

  @Test
  void theOnlyScheduleIsDeletedWithoutNamingIt() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome = call(one, "delete");
    assertThat(outcome.effects()).containsExactly(new Effect.Unplan(only(one)));
    assertThat(said(outcome, "schedule_id")).isEqualTo(only(one));
    assertThat(Habit.after(one, outcome).copy().agenda().planned()).isEmpty();
  }

  @Test
  void aScheduleIsDeletedByItsId() {
    var run = run(Agenda.empty(BERLIN), 2, ChannelKind.SMS);
    run = after(run, "fixed_time", "8:15");
    run = after(run, "fixed_time", "20:00");
    var second = run.copy().agenda().planned().getLast().schedule().id();
    assertThat(call(run, "delete", "schedule_id", second).effects())
        .containsExactly(new Effect.Unplan(second));
  }

  @Test
  void severalSchedulesNeedAnId() {
    var run = run(Agenda.empty(BERLIN), 2, ChannelKind.SMS);
    run = after(run, "fixed_time", "8:15");
    run = after(run, "fixed_time", "20:00");
    var outcome = call(run, "delete");
    assertThat(said(outcome, "field")).isEqualTo("schedule_id");
    assertThat(outcome.result().path("valid_values")).hasSize(2);
    assertThat(said(outcome, "message")).contains("say which");
  }

  @Test
  void aScheduleOfSomebodyElseIsRefusedWithOnesOwn() {
    var one = after(fresh(), "fixed_time", "8:15");
    var outcome = call(one, "delete", "schedule_id", "sch_ffffffffffffffffffffffff");
    assertThat(outcome.effects()).isEmpty();
    assertThat(said(outcome, "field")).isEqualTo("schedule_id");
    assertThat(outcome.result().path("valid_values"))
        .extracting(JsonNode::asText)
        .containsExactly(only(one));
  }

  @Test
  void withoutAScheduleThereIsNoneToDelete() {
    var outcome = call(fresh(), "delete");
    assertThat(outcome.failed()).isTrue();
    assertThat(said(outcome, "message")).contains("none to delete");
  }

  @Test
  void deletingTwiceInATurnChangesNothingTheSecondTime() {
    var one = after(fresh(), "fixed_time", "8:15");
    var deleted = Habit.after(one, call(one, "delete"));
    assertThat(said(call(deleted, "delete", "schedule_id", only(one)), "status")).isEqualTo("noop");
  }

  @Test
  void listAndDeleteTakeNoTimes() {
    var one = after(fresh(), "fixed_time", "8:15");
    for (var field :
        List.of("type", "fixed_time", "random_start_time", "random_end_time", "timezone")) {
      for (var action : List.of("list", "delete")) {
        var outcome = call(one, action, field, field.equals("type") ? "fixed" : "9:00");
        assertThat(said(outcome, "field")).isEqualTo(field);
        assertThat(said(outcome, "message")).contains("leave the rest null");
        assertThat(outcome.effects()).isEmpty();
      }
    }
    assertThat(said(call(one, "list", "schedule_id", only(one)), "field")).isEqualTo("schedule_id");
  }

  @Test
  void nullAndBlankMeanNotGiven() {
    var outcome =
        tool.call(
            fresh(),
            Habit.json(
                """
                {"action":"list","type":null,"fixed_time":"","random_start_time":null,
                 "random_end_time":null,"timezone":" ","schedule_id":null}\
                """));
    assertThat(outcome.failed()).isFalse();
  }

  @Test
  void aFlowWithoutDailyPromptsSchedulesNone() {
    var run =
        Habit.run(
            Habit.flow(Habit.flow().promptGenerator(), null),
            Habit.copy(Habit.complete()),
            NOW,
            Habit.saying("unasked"));
    for (var action : List.of("create", "list", "delete")) {
      var outcome = call(run, action);
      assertThat(outcome.failed()).isTrue();
      assertThat(said(outcome, "message")).isEqualTo("This flow has no daily prompts.");
    }
  }
}
