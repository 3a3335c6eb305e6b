package org.habitline.staff.study;

import jakarta.inject.Singleton;
import java.time.LocalDate;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Days;
import org.habitline.study.figures.Figures;
import org.jspecify.annotations.Nullable;

/** Reads the range of days to show, for the page and the REST API. */
@Singleton
final class FiguresDesk {

  static final int USUAL_DAYS = 28;

  private final Figures figures;

  FiguresDesk(Figures figures) {
    this.figures = figures;
  }

  /** Returns the current day in study time. */
  LocalDate today() {
    return figures.today();
  }

  /**
   * Returns the figures of the given days; a blank date counts as not given.
   *
   * @throws ApiProblem 400 for an invalid date, and for a range that is empty or too long
   */
  Figures.Study figures(@Nullable String from, @Nullable String to) {
    return figures.of(range(from, to, figures.today()));
  }

  /**
   * Returns a range of days; a blank date counts as not given.
   *
   * @param last the last day if none is given
   * @throws ApiProblem 400 for an invalid date, and for a range that is empty or too long
   */
  static Figures.Range range(@Nullable String from, @Nullable String to, LocalDate last) {
    var givenLast = Days.of("to", to);
    var end = givenLast == null ? last : givenLast;
    var givenFirst = Days.of("from", from);
    return range(givenFirst == null ? end.minusDays(USUAL_DAYS - 1L) : givenFirst, end);
  }

  /**
   * Returns the figures of the last {@code 7} or {@code 28} days, of {@code all}, or of the given
   * days if {@code days} is empty.
   *
   * @throws ApiProblem 400 for other {@code days}, an invalid date, or a range that is empty or too
   *     long
   */
  Figures.Study figures(String days, @Nullable String from, @Nullable String to) {
    return switch (days) {
      case "" -> figures(from, to);
      case "7" -> figures.of(figures.last(7));
      case "28" -> figures.of(figures.last(USUAL_DAYS));
      case "all" -> figures.of(figures.all());
      default -> throw ApiProblem.bad("days: unknown; expected 7, 28 or all.");
    };
  }

  private static Figures.Range range(LocalDate first, LocalDate last) {
    try {
      return new Figures.Range(first, last);
    } catch (IllegalArgumentException e) {
      throw ApiProblem.bad(
          "from: the first day must not be after the last day, and the range has at most "
              + Figures.MOST_DAYS
              + " days.");
    }
  }
}
