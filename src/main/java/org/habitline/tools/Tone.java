package org.habitline.tools;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How a participant likes to be spoken to: the tags that are on, and the score of every tag ever
 * observed, 0 to 1. Immutable.
 *
 * @param version raised by one with every change
 * @param updateSource {@code explicit} or {@code implicit}, {@code null} before the first change
 */
public record Tone(
    SortedSet<String> tags,
    Map<String, Double> scores,
    int version,
    @Nullable Instant lastUpdatedAt,
    @Nullable String updateSource) {

  public Tone {
    tags = Collections.unmodifiableSortedSet(new TreeSet<>(tags));
    scores = Collections.unmodifiableMap(new TreeMap<>(scores));
  }

  /** Returns the tone of a participant of whom nothing is known yet. */
  public static Tone unknown() {
    return new Tone(Collections.emptySortedSet(), Map.of(), 0, null, null);
  }
}
