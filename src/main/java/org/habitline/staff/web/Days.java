package org.habitline.staff.web;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads dates that callers give as {@code yyyy-mm-dd}. */
public final class Days {

  private static final Pattern DATE = Pattern.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  private static final DateTimeFormatter MONTH =
      DateTimeFormatter.ofPattern("MMMM uuuu", Locale.ENGLISH);

  private Days() {}

  /**
   * Returns a date, or {@code null} if none is given.
   *
   * @param parameter its name, for the error
   * @throws ApiProblem 400 if it is no date, or a day that its month does not have
   */
  public static @Nullable LocalDate of(String parameter, @Nullable String said) {
    if (said == null || said.isBlank()) {
      return null;
    }
    var text = said.strip();
    var date = DATE.matcher(text);
    if (date.matches() && Integer.parseInt(date.group(1)) > 0) {
      try {
        var month = YearMonth.of(Integer.parseInt(date.group(1)), Integer.parseInt(date.group(2)));
        var day = Integer.parseInt(date.group(3));
        if (month.isValidDay(day)) {
          return month.atDay(day);
        }
        throw ApiProblem.bad(
            "%s: %s does not exist; %s has %d days."
                .formatted(parameter, text, MONTH.format(month), month.lengthOfMonth()));
      } catch (DateTimeException e) {
        throw ApiProblem.bad(
            "%s: %s does not exist; months are 01 to 12.".formatted(parameter, text));
      }
    }
    throw ApiProblem.bad(parameter + ": expected a date in the form yyyy-mm-dd.");
  }
}
