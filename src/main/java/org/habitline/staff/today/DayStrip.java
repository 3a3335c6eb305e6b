package org.habitline.staff.today;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.habitline.staff.study.StudyPage;
import org.habitline.study.figures.Figures;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the day beside the work list: messages, the median reply time, and the cost with
 * its budget. They come from the same rows as the Study page and are up to a minute old, because
 * every open page asks for them again and again.
 */
@Singleton
final class DayStrip {

  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final String STUDY = "/study";

  private final Figures figures;
  private final Clock systemClock;
  private volatile @Nullable Read last;

  DayStrip(Figures figures, @Named("system") Clock systemClock) {
    this.figures = figures;
    this.systemClock = systemClock;
  }

  private record Read(Instant at, Figures.DayFigures day) {}

  private Figures.DayFigures day() {
    var now = systemClock.instant();
    var before = last;
    if (before != null && Duration.between(before.at(), now).compareTo(KEPT) < 0) {
      return before.day();
    }
    var day = figures.ofToday();
    last = new Read(now, day);
    return day;
  }

  /** Returns the figures, each with a link to the Study page. */
  List<TodayPage.Count> counts() {
    var day = day();
    var counts = new ArrayList<TodayPage.Count>();
    counts.add(
        count("messages received today", "%,d".formatted(day.received()), "#chart-messages"));
    counts.add(count("messages sent today", "%,d".formatted(day.sent()), "#chart-deliveries"));
    if (day.replies().count() > 0) {
      counts.add(
          count(
              "median reply time today",
              StudyPage.time(day.replies().medianSeconds()),
              "#chart-replies"));
    }
    var costs = day.costs();
    if (costs.currency() != null) {
      var budget = costs.dailyBudget();
      var over = budget != null && costs.total().compareTo(budget) >= 0;
      counts.add(
          new TodayPage.Count(
              budget == null
                  ? "cost today"
                  : "cost today, of " + StudyPage.money(budget, costs.currency()),
              StudyPage.money(costs.total(), costs.currency()),
              STUDY + "#chart-costs",
              over));
    }
    return List.copyOf(counts);
  }

  private static TodayPage.Count count(String what, String number, String anchor) {
    return new TodayPage.Count(what, number, STUDY + anchor, false);
  }
}
