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
 * its budget. They come from the same rows as the Study page. Messages are counted each time. The
 * other figures take longer to read, and every open page asks for them again and again, so they are
 * kept for a while: {@value #SHARE} times as long as reading them took, at most a minute.
 */
@Singleton
final class DayStrip {

  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final int SHARE = 20;
  private static final String STUDY = "/study";

  private final Figures figures;
  private final Clock clock;
  private final Clock systemClock;
  private volatile @Nullable Read last;

  DayStrip(Figures figures, Clock clock, @Named("system") Clock systemClock) {
    this.figures = figures;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * Figures as read.
   *
   * @param at system time
   * @param studyAt study time, which may be moved forward
   * @param kept for how long
   */
  private record Read(Instant at, Instant studyAt, Duration kept, Figures.DayFigures day) {

    boolean isFresh(Instant now, Instant studyNow) {
      return Duration.between(at, now).compareTo(kept) < 0
          && Duration.between(studyAt, studyNow).compareTo(KEPT) < 0;
    }
  }

  private Figures.DayFigures day() {
    var now = systemClock.instant();
    var studyNow = clock.instant();
    var before = last;
    if (before != null && before.isFresh(now, studyNow)) {
      return before.day();
    }
    var day = figures.ofToday();
    var kept = Duration.between(now, systemClock.instant()).multipliedBy(SHARE);
    last = new Read(now, studyNow, kept.compareTo(KEPT) < 0 ? kept : KEPT, day);
    return day;
  }

  /** Returns the figures, each with a link to the Study page. */
  List<TodayPage.Count> counts() {
    var texts = figures.textsOfToday();
    var day = day();
    var counts = new ArrayList<TodayPage.Count>();
    counts.add(count("texts received today", "%,d".formatted(texts.received()), "#chart-messages"));
    counts.add(count("messages sent today", "%,d".formatted(texts.sent()), "#chart-deliveries"));
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
