package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.ZoneId;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A participant says on which day they will be in another time zone. */
@Tag("database-deep")
final class ZoneMoveTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId TOKYO = ZoneId.of("Asia/Tokyo");

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

  @Test
  void aPromptOfTheNewDateComesBeforeTheOldZoneReachesIt() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    moves(robin, "Pacific/Auckland", day.tomorrow());
    day.turnAt(robin, "09:30");
    sent(robin, day.today());
    day.line().answered(robin, "Done");
    // 21:30 in Berlin, where no prompt may be sent, is 09:30 of the next date in Auckland.
    assertThat(day.turnAt(robin, "21:30")).containsEntry("outcome", "woke");
    sent(robin, day.tomorrow());
    assertThat(zone(robin)).isEqualTo(BERLIN);
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("zone", "Pacific/Auckland");
  }

  @Test
  void onTheWayNobodyIsRemindedInTheNightOfTheNewZone() {
    var robin = day.scheduled(ChannelKind.SMS, "12:30");
    moves(robin, "Asia/Tokyo", day.tomorrow());
    day.turnAt(robin, "12:30");
    sent(robin, day.today());
    day.turnAt(robin, "12:35");
    // 17:30 in Berlin is half past one of the next date in Tokyo.
    assertThat(day.turnAt(robin, "17:30"))
        .containsEntry("outcome", "dropped")
        .extractingByKey("reason")
        .asString()
        .contains("it was 01:30 for the participant, outside the allowed hours");
    assertThat(day.texts(robin, "reminder")).isEmpty();
  }

  @Test
  void theIntensityIsAskedOnTheDateOfThePrompt() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    moves(robin, "Pacific/Auckland", day.tomorrow());
    day.turnAt(robin, "09:30");
    sent(robin, day.today());
    day.line().answered(robin, "Done");
    day.turnAt(robin, "21:30");
    sent(robin, day.tomorrow());
    assertThat(day.texts(robin, "intensity")).hasSize(2);
    day.line().answered(robin, "low");
    assertThat(day.profile(robin).findValue("intensity").asText()).isEqualTo("low");
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
