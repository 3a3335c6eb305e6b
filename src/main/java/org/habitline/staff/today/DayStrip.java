package org.habitline.staff.today;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.habitline.staff.study.StudyPage;
import org.habitline.study.figures.Figures;

/**
 * The figures of the day beside the work list: messages, the median reply time, and the cost with
 * its budget. They come from the same rows as the Study page. All are {@link Kept} for a while, the
 * counts of messages apart from the others, because they take less long to read.
 */
@Singleton
final class DayStrip {

  private static final String STUDY = "/study";

  private final Figures figures;
  private final Kept<Figures.DayFigures> day;
  private final Kept<Figures.TextsOfDay> texts;

  DayStrip(Figures figures, Clock clock, @Named("system") Clock systemClock) {
    this.figures = figures;
    this.day = new Kept<>(systemClock, clock);
    this.texts = new Kept<>(systemClock, clock);
  }

  /** Returns the figures, each with a link to the Study page. */
  List<TodayPage.Count> counts() {
    var texts = this.texts.get(figures::textsOfToday);
    var day = this.day.get(figures::ofToday);
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
