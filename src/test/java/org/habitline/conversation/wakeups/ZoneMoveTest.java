package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A participant says on which day they will be in another time zone. */
final class ZoneMoveTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId TOKYO = ZoneId.of("Asia/Tokyo");
  private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(ZoneMoveTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
    // The moves of people of the day before, which stay when they leave the study.
    day.sweep();
  }

  private static void moves(Participant robin, String zone, String from) {
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"timezone\":\"%s\",\"timezone_from\":%s}"
                .formatted(zone, from.isEmpty() ? "null" : "\"" + from + "\"")));
  }

  /** The provider accepts the prompt of a date. */
  private static void sent(Participant robin, String date) {
    await()
        .untilAsserted(
            () -> assertThat(day.occurrence(robin, date)).containsEntry("status", "sent"));
  }

  private static String later(int days) {
    return LocalDate.parse(day.today()).plusDays(days).toString();
  }

  /** It becomes this time in a zone; nothing rings yet. */
  private static void advance(ZoneId zone, String date, String time) {
    var then = LocalDate.parse(date).atTime(LocalTime.parse(time)).atZone(zone).toInstant();
    day.line().study().advance(Duration.between(day.line().study().instant(), then));
  }

  /** The prompt of a date comes at its time in a zone, and is answered. */
  private static void promptedIn(Participant robin, ZoneId zone, String date) {
    assertThat(day.occurrence(robin, date)).containsEntry("zone", zone.getId());
    var turns = day.line().turns(robin);
    var wall = String.valueOf(day.occurrence(robin, date).get("wall_time"));
    advance(zone, date, wall.substring(date.length() + 1));
    assertThat(day.sweep()).isOne();
    assertThat(day.line().awaitTurn(robin, turns + 1)).containsEntry("outcome", "woke");
    sent(robin, date);
    day.line().answered(robin, "Done");
  }

  private static ZoneId zone(Participant robin) {
    return day.now(robin).zone();
  }

  @Test
  void theDaysBeforeTheMoveKeepTheOldZoneAndTheDaysAfterItGetTheNewOne() {
    var robin = day.scheduled(ChannelKind.SMS, "20:00");
    moves(robin, "Asia/Tokyo", day.tomorrow());
    assertThat(zone(robin)).isEqualTo(BERLIN);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt", "zone_move");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("zone", "Europe/Berlin")
        .containsEntry("wall_time", day.today() + "T20:00");

    day.turnAt(robin, "20:00");
    sent(robin, day.today());
    assertThat(day.occurrence(robin, day.tomorrow()))
        .containsEntry("zone", "Asia/Tokyo")
        .containsEntry("wall_time", day.tomorrow() + "T20:00");
    day.turnAt(robin, "20:05");

    // The date of the move begins in Berlin, where it is eight in the morning in Tokyo.
    assertThat(day.ringsAt("23:59")).isZero();
    assertThat(zone(robin)).isEqualTo(BERLIN);
    assertThat(day.turnAt(robin, "00:00")).containsEntry("outcome", "woke");
    assertThat(zone(robin)).isEqualTo(TOKYO);
    assertThat(day.now(robin).move()).isNull();

    // In Tokyo it is nine in the morning when the reminder of the evening in Berlin comes.
    assertThat(day.turnAt(robin, "01:00")).containsEntry("outcome", "woke");
    await()
        .untilAsserted(
            () -> assertThat(day.sms().bodies(robin)).last().isEqualTo(PromptDay.REMINDER));
    assertThat(day.turnAt(robin, "12:00")).containsEntry("outcome", "woke");
    sent(robin, day.tomorrow());
  }

  /** Whoever flies on a later day than they said misses no morning. */
  @Test
  void aMoveToAZoneAheadWaitsForItsDateInTheOldZoneAndACorrectedDateCostsNothing() {
    var robin = day.scheduled(ChannelKind.SMS, "08:30");
    day.livesIn(robin, "America/New_York");
    moves(robin, "Asia/Tokyo", day.tomorrow());
    promptedIn(robin, NEW_YORK, day.today());

    // Half past eight of the next date in Tokyo is the evening of this one in New York.
    advance(TOKYO, day.tomorrow(), "08:30");
    assertThat(day.sweep()).isZero();
    assertThat(day.occurrence(robin, later(2))).containsEntry("zone", "Asia/Tokyo");

    moves(robin, "Asia/Tokyo", later(2));
    promptedIn(robin, NEW_YORK, day.tomorrow());
    advance(NEW_YORK, later(2), "00:00");
    assertThat(day.sweep()).isOne();
    await().untilAsserted(() -> assertThat(zone(robin)).isEqualTo(TOKYO));
    promptedIn(robin, TOKYO, later(3));
  }

  @Test
  void aMoveToAZoneBehindLeavesTheMorningsBeforeItWhereTheyAre() {
    var robin = day.scheduled(ChannelKind.SMS, "08:30");
    day.livesIn(robin, "Asia/Tokyo");
    moves(robin, "America/New_York", day.tomorrow());
    // The date has not begun in New York.
    promptedIn(robin, TOKYO, day.tomorrow());
    moves(robin, "America/New_York", later(2));
    promptedIn(robin, TOKYO, later(2));
    advance(NEW_YORK, later(2), "00:00");
    assertThat(day.sweep()).isOne();
    await().untilAsserted(() -> assertThat(zone(robin)).isEqualTo(NEW_YORK));
    promptedIn(robin, NEW_YORK, later(3));
  }

  @Test
  void aMoveAcrossTheDateLineGivesEveryDateAtMostOnePrompt() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.livesIn(robin, "Pacific/Auckland");
    moves(robin, "Pacific/Honolulu", day.tomorrow());
    promptedIn(robin, ZoneId.of("Pacific/Auckland"), day.tomorrow());
    advance(ZoneId.of("Pacific/Honolulu"), day.tomorrow(), "00:00");
    assertThat(day.sweep()).isOne();
    await().untilAsserted(() -> assertThat(zone(robin)).isEqualTo(ZoneId.of("Pacific/Honolulu")));
    assertThat(day.ringsAfter(Duration.ofHours(12))).isZero();
    promptedIn(robin, ZoneId.of("Pacific/Honolulu"), later(2));
  }

  @Test
  void onTheWayAReminderWaitsForTheEndOfTheNightInTheNewZone() {
    var robin = day.scheduled(ChannelKind.SMS, "12:30");
    moves(robin, "Asia/Tokyo", day.tomorrow());
    day.turnAt(robin, "12:30");
    sent(robin, day.today());
    day.turnAt(robin, "12:35");
    // 17:30 in Berlin is half past one of the next date in Tokyo.
    assertThat(day.ringsAt("23:59")).isZero();
    assertThat(day.ringsAt("00:00")).as("the move and the reminder").isEqualTo(2);
    await()
        .untilAsserted(
            () -> assertThat(day.texts(robin, "reminder")).containsExactly(PromptDay.REMINDER));
    assertThat(zone(robin)).isEqualTo(TOKYO);
  }

  @Test
  void aMoveIsMadeByAnotherProcessAndForSomebodyWhoIsPaused() {
    var robin = day.scheduled("09:30");
    moves(robin, "Asia/Tokyo", day.tomorrow());
    day.becomes(robin, ParticipantStatus.PAUSED);
    assertThat(day.wakeups(robin)).containsExactly("zone_move");
    day.at("00:00");
    var turns = day.line().turns(robin);
    var next = day.line().second().start();
    try {
      assertThat(next.bean(Sweeps.class).sweep()).isOne();
      next.awaitTurn(robin, turns + 1);
    } finally {
      next.stop();
    }
    assertThat(zone(robin)).isEqualTo(TOKYO);
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("zone", "Asia/Tokyo");
  }

  @Test
  void whoeverStaysOrIsSentElsewhereByStaffMovesNoMore() {
    var robin = day.scheduled("09:30");
    moves(robin, "Asia/Tokyo", day.tomorrow());
    moves(robin, "Europe/Berlin", "");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.now(robin).move()).isNull();

    moves(robin, "Asia/Tokyo", day.tomorrow());
    day.livesIn(robin, "America/New_York");
    assertThat(day.now(robin).move()).isNull();
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.ringsAfter(Duration.ofHours(5))).isZero();
  }
}
