package org.habitline.staff.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts and limits the chats of this process: in total, per token, without a token so far, and per
 * source among those, so that a stranger cannot keep participants out. A chat counts in several
 * rows at once. Safe for use by several threads.
 */
final class ChatSeats {

  static final int OF_ALL = 1000;
  static final int OF_ONE_TOKEN = 5;
  static final int WITHOUT_TOKEN = 100;
  static final int OF_ONE_SOURCE = 20;

  /** A group of chats with a common limit. */
  record Row(String name, int seats) {}

  private static final Row ALL = new Row("all", OF_ALL);
  private static final Row STRANGERS = new Row("without a token", WITHOUT_TOKEN);

  /** Guarded by this. */
  private final Map<Row, Integer> taken = new HashMap<>();

  /** Returns the rows that count a chat with this pass. */
  static List<Row> withToken(String pass) {
    return List.of(ALL, new Row("with " + pass, OF_ONE_TOKEN));
  }

  /**
   * Returns the rows that count a chat without a token so far; an empty source has no row of its
   * own.
   */
  static List<Row> withoutToken(Optional<String> source) {
    var rows = new ArrayList<>(List.of(ALL, STRANGERS));
    source.ifPresent(known -> rows.add(new Row("from " + known, OF_ONE_SOURCE)));
    return List.copyOf(rows);
  }

  /**
   * Takes a seat in each of these rows and returns true, or takes none and returns false if one of
   * them is full.
   */
  synchronized boolean take(List<Row> rows) {
    if (rows.stream().anyMatch(row -> taken.getOrDefault(row, 0) >= row.seats())) {
      return false;
    }
    rows.forEach(row -> taken.merge(row, 1, Integer::sum));
    return true;
  }

  /** Frees the seats that {@link #take} took. */
  synchronized void free(List<Row> rows) {
    rows.forEach(row -> taken.computeIfPresent(row, (it, count) -> count == 1 ? null : count - 1));
  }
}
