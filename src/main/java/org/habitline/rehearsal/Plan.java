package org.habitline.rehearsal;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import org.habitline.timers.AllowedHours;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a rehearsal.
 *
 * @param from the local date on which all participants are enrolled
 * @param days how many local dates are played, including the first
 * @param zone the participants' time zone
 * @param allowedHours the study's allowed hours; a prompt outside them is an anomaly
 * @param prompts the hours of the day in which participants choose their time
 * @param movesTo the time zone that all participants move to during the study, or {@code null} if
 *     none moves
 * @param flow the flow that is played, or {@code null} for the one of participants who are enrolled
 *     without naming one
 * @param seed seed of all random choices; the same seed gives the same rehearsal
 * @param safety whether one more participant lives through each {@link Episode}
 * @param withModel whether the configured model replies instead of the script
 */
public record Plan(
    int participants,
    int days,
    LocalDate from,
    ZoneId zone,
    AllowedHours allowedHours,
    AllowedHours prompts,
    @Nullable ZoneId movesTo,
    @Nullable String flow,
    long seed,
    boolean safety,
    boolean withModel) {

  /** A plan for the script. */
  public Plan(
      int participants,
      int days,
      LocalDate from,
      ZoneId zone,
      AllowedHours allowedHours,
      AllowedHours prompts,
      @Nullable ZoneId movesTo,
      @Nullable String flow,
      long seed,
      boolean safety) {
    this(participants, days, from, zone, allowedHours, prompts, movesTo, flow, seed, safety, false);
  }

  /** A plan for the flow of participants who are enrolled without naming one. */
  public Plan(
      int participants,
      int days,
      LocalDate from,
      ZoneId zone,
      AllowedHours allowedHours,
      AllowedHours prompts,
      @Nullable ZoneId movesTo,
      long seed) {
    this(participants, days, from, zone, allowedHours, prompts, movesTo, null, seed, false);
  }

  /** Returns when study time begins. */
  Instant start() {
    return from.atStartOfDay(zone).toInstant();
  }

  /** Returns the first local date after the rehearsal. */
  LocalDate after() {
    return from.plusDays(days);
  }
}
