package org.habitline.staff.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the chats of this process and bounds them: in all, with one token, without a token so far,
 * and of those the ones from one source, so that a stranger cannot keep participants out. A chat
 * counts in several rows at once. For several threads.
 */
final class ChatSeats {

  static final int OF_ALL = 1000;
  static final int OF_ONE_TOKEN = 5;
  static final int WITHOUT_TOKEN = 100;
  static final int OF_ONE_SOURCE = 20;

  /** Chats that are counted together. */
  record Row(String name, int seats) {}

  private static final Row ALL = new Row("all", OF_ALL);
  private static final Row STRANGERS = new Row("without a token", WITHOUT_TOKEN);

  /** Guarded by this. */
  private final Map<Row, Integer> taken = new HashMap<>();

  /** Returns the rows of a chat that came in with this pass. */
  static List<Row> withToken(String pass) {
    return List.of(ALL, new Row("with " + pass, OF_ONE_TOKEN));
  }

  /** Returns the rows of a chat that has shown no token yet; empty if its source says nothing. */
  static List<Row> withoutToken(Optional<String> source) {
    var rows = new ArrayList<>(List.of(ALL, STRANGERS));
    source.ifPresent(known -> rows.add(new Row("from " + known, OF_ONE_SOURCE)));
    return List.copyOf(rows);
  }

  /** Takes a seat in each of these rows, or none and returns false if one of them is full. */
  synchronized boolean take(List<Row> rows) {
    if (rows.stream().anyMatch(row -> taken.getOrDefault(row, 0) >= row.seats())) {
      return false;
    }
    rows.forEach(row -> taken.merge(row, 1, Integer::sum));
    return true;
  }

  /** Gives back what {@link #take} took. */
  synchronized void free(List<Row> rows) {
    rows.forEach(row -> taken.computeIfPresent(row, (it, count) -> count == 1 ? null : count - 1));
  }
}
