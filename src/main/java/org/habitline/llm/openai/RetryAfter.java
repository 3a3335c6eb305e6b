package org.habitline.llm.openai;

import com.openai.core.http.Headers;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Reads how long a server asks to wait: {@code Retry-After} in seconds or as a date (RFC 9110,
 * section 10.2.3), or OpenAI's own {@code retry-after-ms}, which is finer and takes precedence. An
 * unreadable value counts as missing; a date in the past means no wait.
 */
final class RetryAfter {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private RetryAfter() {}

  static Optional<Duration> of(Headers headers, Clock clock) {
    return first(headers, "retry-after-ms")
        .flatMap(millis -> times(millis, NANOS_PER_MILLI))
        .or(() ->
            first(headers, "retry-after")
                .flatMap(
                    value -> times(value, NANOS_PER_SECOND).or(() -> untilDate(value, clock))));
  }

  private static Optional<String> first(Headers headers, String name) {
    return headers.values(name).stream().findFirst().map(String::strip);
  }

  private static Optional<Duration> times(String number, double nanos) {
    var value = number(number);
    return value.isPresent() && value.getAsDouble() >= 0
        ? Optional.of(Duration.ofNanos((long) (value.getAsDouble() * nanos)))
        : Optional.empty();
  }

  private static OptionalDouble number(String text) {
    try {
      return OptionalDouble.of(Double.parseDouble(text));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  private static Optional<Duration> untilDate(String text, Clock clock) {
    try {
      var date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
      var wait = Duration.between(clock.instant(), date.toInstant());
      return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
