package org.habitline.staff.study;

import jakarta.inject.Singleton;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;
import org.habitline.staff.web.ApiProblem;
import org.habitline.study.Figures;
import org.jspecify.annotations.Nullable;

/** Reads which days of the study are wanted, for page and REST alike. */
@Singleton
final class FiguresDesk {

  static final int USUAL_DAYS = 28;

  private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

  private final Figures figures;

  FiguresDesk(Figures figures) {
    this.figures = figures;
  }

  /**
   * Returns the figures of days as they were said; blank counts as not said.
   *
   * @throws ApiProblem 400 for what is no day, and for a range that is empty or too long
   */
  Figures.Study figures(@Nullable String from, @Nullable String to) {
    var last = day("to", to);
    var first = day("from", from);
    if (last == null) {
      last = figures.today();
    }
    if (first == null) {
      first = last.minusDays(USUAL_DAYS - 1L);
    }
    return figures.of(range(first, last));
  }

  /** The same, or of the last {@code 7} or {@code 28} days, or {@code all}. */
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
          "from and to: expected from not after to, and "
              + Figures.MOST_DAYS
              + " days at the most.");
    }
  }

  private static @Nullable LocalDate day(String parameter, @Nullable String said) {
    if (said == null || said.isBlank()) {
      return null;
    }
    var text = said.strip();
    try {
      if (DATE.matcher(text).matches()) {
        var day = LocalDate.parse(text);
        if (day.getYear() > 0) {
          return day;
        }
      }
    } catch (DateTimeParseException e) {
      // Such as the 31st of a shorter month.
    }
    throw ApiProblem.bad(parameter + ": expected a day as yyyy-mm-dd.");
  }
}
