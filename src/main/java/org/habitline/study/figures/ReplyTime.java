package org.habitline.study.figures;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.habitline.study.figures.Figures.Part;
import org.jspecify.annotations.Nullable;

/**
 * The time until one reply, and its parts.
 *
 * @param parts the seconds of each part
 */
record ReplyTime(String day, double seconds, Map<Part, Double> parts) {

  private static final double MILLIS = 1000;

  /** Returns the time of a reply, or empty if it replies to no text. */
  static Optional<ReplyTime> of(JdbcFigures.Replied row) {
    var since = row.since();
    var at = row.at();
    return since == null || at == null
        ? Optional.empty()
        : Optional.of(
            new ReplyTime(row.onDay(), seconds(since, at), parts(row, seconds(since, at))));
  }

  private static Map<Part, Double> parts(JdbcFigures.Replied row, double all) {
    var model = row.modelMillis() == null ? 0 : row.modelMillis() / MILLIS;
    var calls = row.callSeconds() == null ? 0 : row.callSeconds();
    var parts = new EnumMap<Part, Double>(Part.class);
    parts.put(
        Part.QUEUE,
        seconds(row.since(), row.begunAt()) + seconds(row.plannedAt(), row.sendingAt()));
    parts.put(Part.MODEL, model);
    parts.put(Part.TOOLS, Math.max(0, calls - model));
    parts.put(Part.PROVIDER, seconds(row.sendingAt(), row.at()));
    var known = parts.values().stream().mapToDouble(Double::doubleValue).sum();
    parts.put(Part.REST, Math.max(0, all - known));
    return parts;
  }

  private static double seconds(@Nullable Instant since, @Nullable Instant at) {
    return since == null || at == null
        ? 0
        : Math.max(0, Duration.between(since, at).toMillis()) / MILLIS;
  }

  double of(Part part) {
    return parts.getOrDefault(part, 0.0);
  }

  ReplyTime shorter(ReplyTime other) {
    return other.seconds < seconds ? other : this;
  }
}
