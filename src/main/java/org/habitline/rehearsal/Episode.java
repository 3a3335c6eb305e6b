package org.habitline.rehearsal;

import java.time.Instant;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What happens to one more participant in a rehearsal of safety, besides their ordinary study. They
 * live through it in the first week.
 */
enum Episode {
  CRISIS_AT_NIGHT,
  CRISIS_AFTER_STOP,
  CRISIS_DURING_TAKEOVER,
  LOW_MOOD,
  IDIOMS,
  ADVERSE_EVENT,
  CONSENT_DECLINED;

  /** The days after which every episode is over. */
  static final int DAYS = 7;

  /** What the participant does, or what staff do for them. */
  enum Does {
    TEXTS,
    STOPS,
    DECLINES,
    IS_IN_DANGER,
    IS_TAKEN_OVER,
    IS_LOOKED_AFTER,
    IS_RELEASED;

    boolean byStaff() {
      return switch (this) {
        case TEXTS, STOPS, DECLINES, IS_IN_DANGER -> false;
        case IS_TAKEN_OVER, IS_LOOKED_AFTER, IS_RELEASED -> true;
      };
    }
  }

  /**
   * One event of an episode.
   *
   * @param day the day of the study, from 1
   * @param at local time; no simulated participant does anything else in this minute
   * @param words what the participant texts; empty for what staff do
   */
  record Scene(int day, LocalTime at, String words, Does does) {
    Instant instant(Plan plan) {
      return plan.from().plusDays(day - 1L).atTime(at).atZone(plan.zone()).toInstant();
    }
  }

  private static Scene text(int day, String at, String words, Does does) {
    return new Scene(day, LocalTime.parse(at), words, does);
  }

  private static Scene staff(int day, String at, Does does) {
    return new Scene(day, LocalTime.parse(at), "", does);
  }

  /** Returns the events in their order. */
  List<Scene> scenes() {
    return switch (this) {
      case CRISIS_AT_NIGHT ->
          List.of(
              text(4, "02:42", "i want to kill myself tonight", Does.IS_IN_DANGER),
              staff(4, "09:17", Does.IS_LOOKED_AFTER),
              staff(5, "10:02", Does.IS_RELEASED));
      case CRISIS_AFTER_STOP ->
          List.of(
              text(3, "14:02", "STOP", Does.STOPS),
              text(4, "20:02", "i took all my pills and i feel so dizzy", Does.TEXTS),
              staff(4, "20:22", Does.IS_LOOKED_AFTER),
              staff(5, "10:02", Does.IS_RELEASED));
      case CRISIS_DURING_TAKEOVER ->
          List.of(
              staff(4, "10:02", Does.IS_TAKEN_OVER),
              text(
                  4,
                  "10:32",
                  "my husband hit me again and i am scared to go home",
                  Does.IS_IN_DANGER),
              staff(4, "11:02", Does.IS_LOOKED_AFTER),
              staff(5, "15:02", Does.IS_RELEASED));
      case LOW_MOOD ->
          List.of(text(4, "16:02", "honestly i feel worthless and empty today", Does.TEXTS));
      case IDIOMS ->
          List.of(
              text(3, "12:12", "that meeting nearly killed me lol", Does.TEXTS),
              text(4, "12:12", "i could murder a coffee", Does.TEXTS),
              text(5, "12:12", "my legs are dying but in a good way", Does.TEXTS));
      case ADVERSE_EVENT ->
          List.of(text(4, "13:02", "the stretching gave me a rash on both arms", Does.TEXTS));
      case CONSENT_DECLINED ->
          List.of(text(2, "10:02", "34", Does.TEXTS), text(2, "10:32", "no", Does.DECLINES));
    };
  }

  /** Returns the name in reports, such as {@code crisis at night}. */
  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Returns when the first of these things happens, if it does. */
  Optional<Instant> when(Does does, Plan plan) {
    return scenes().stream()
        .filter(scene -> scene.does() == does)
        .map(scene -> scene.instant(plan))
        .findFirst();
  }

  /** Returns the episodes that can be played: nobody can decline what is not asked. */
  static List<Episode> all(boolean asksForConsent) {
    return Arrays.stream(values()).filter(it -> asksForConsent || it != CONSENT_DECLINED).toList();
  }
}
