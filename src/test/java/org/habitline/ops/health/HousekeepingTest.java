package org.habitline.ops.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.junit.jupiter.api.Test;

/** What is kept for a while only goes in small steps, and one that fails keeps no other. */
final class HousekeepingTest {

  private static final int MANY = 2500;

  private static void fill(RunningLine line, Instant at, String prefix, int many) {
    var rows = Rows.of(line);
    var posts = new ArrayList<List<Object>>();
    var events = new ArrayList<List<Object>>();
    var strays = new ArrayList<List<Object>>();
    for (int i = 0; i < many; i++) {
      posts.add(List.of(prefix + i, at));
      events.add(List.of(at));
      strays.add(List.of(prefix + i, at));
    }
    rows.writeAll(
        "INSERT INTO raw_post (provider_id, stored_at, content) VALUES (?, ?, 'Body=words')",
        posts);
    rows.writeAll("INSERT INTO event (at, type, payload) VALUES (?, 'test', '{}')", events);
    rows.writeAll(
        """
        INSERT INTO delivery_event (provider_id, status, progress, joined, received_at)
        VALUES (?, 'sent', 1, FALSE, ?)
        """,
        strays);
  }

  private static int count(RunningLine line, String table) {
    return Integer.parseInt(line.column("SELECT COUNT(*) FROM " + table).getFirst());
  }

  @Test
  void eachStepDeletesAThousandAtATimeAndOneThatFailsIsToldAndStopsNoOther() {
    try (var line = RunningLine.in(HousekeepingTest.class).bean(new SqlCounts()).build()) {
      var now = line.system().instant();
      fill(line, now.minus(Duration.ofDays(40)), "old", MANY);
      fill(line, now, "new", 3);
      var housekeeping = line.bean(Housekeeping.class);
      line.write("ALTER TABLE event RENAME TO event_elsewhere");
      line.bean(SqlCounts.class).forget();

      housekeeping.forget();
      assertThat(housekeeping.failing()).containsOnlyKeys("events");
      assertThat(count(line, "raw_post")).isEqualTo(3);
      assertThat(count(line, "delivery_event")).isEqualTo(3);
      assertThat(
              line.bean(SqlCounts.class).of(Thread.currentThread().getName()).stream()
                  .filter(
                      it -> it.startsWith("DELETE FROM raw_post") || it.equals(SqlCounts.COMMIT))
                  .map(it -> it.equals(SqlCounts.COMMIT) ? it : keys(it) + " posts"))
          .startsWith(
              "1000 posts",
              SqlCounts.COMMIT,
              "1000 posts",
              SqlCounts.COMMIT,
              "500 posts",
              SqlCounts.COMMIT);

      line.write("ALTER TABLE event_elsewhere RENAME TO event");
      housekeeping.forget();
      assertThat(housekeeping.failing()).isEmpty();
      assertThat(count(line, "event")).isEqualTo(3);
      assertThat(housekeeping.done()).isPresent();
    }
  }

  private static long keys(String deletion) {
    return deletion.chars().filter(sign -> sign == '?').count();
  }
}
