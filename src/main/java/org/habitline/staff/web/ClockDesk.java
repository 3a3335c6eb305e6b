package org.habitline.staff.web;

import io.micronaut.core.convert.ConversionService;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.study.Rehearsal;
import org.habitline.study.StudyWalk;
import org.jspecify.annotations.Nullable;

/** Reads and moves study time for the REST API and the pages. */
@Singleton
final class ClockDesk {

  private static final Duration FARTHEST = Duration.ofDays(31);

  private final StudyWalk walk;
  private final Rehearsal rehearsal;
  private final AuditLog audit;

  ClockDesk(StudyWalk walk, Rehearsal rehearsal, AuditLog audit) {
    this.walk = walk;
    this.rehearsal = rehearsal;
    this.audit = audit;
  }

  StudyWalk.Walked here() {
    return walk.here();
  }

  boolean movable() {
    return rehearsal.on();
  }

  /**
   * Moves study time forward, blocks until every job due by then has run, and writes an audit
   * entry.
   *
   * @param advance a duration from 1 s to 31 days
   * @param to {@code next_wakeup}
   * @throws ApiProblem 409 if a real phone could be reached, 400 unless exactly one of the two is
   *     given and valid
   */
  StudyWalk.Walked move(Actor by, @Nullable String advance, @Nullable String to) {
    if (!rehearsal.on()) {
      throw ApiProblem.conflict(
          "Study time can be moved only while all phones are simulated; a real phone channel is"
              + " configured.");
    }
    if ((advance == null) == (to == null)) {
      throw ApiProblem.bad(
          "Expected exactly one of advance (a duration such as 1h or 1d) and to (next_wakeup).");
    }
    if (advance == null && !"next_wakeup".equals(to)) {
      throw ApiProblem.bad("to: expected next_wakeup.");
    }
    var before = walk.here().now();
    var walked = advance == null ? walk.toNext() : walk.by(duration(advance));
    audit.record(
        AuditEntry.of(by.name(), by.role(), AuditAction.STUDY_CLOCK_MOVED)
            .changed(before.toString(), walked.now().toString()));
    return walked;
  }

  private static Duration duration(String text) {
    return ConversionService.SHARED
        .convert(text, Duration.class)
        .filter(it -> it.compareTo(Duration.ofSeconds(1)) >= 0 && it.compareTo(FARTHEST) <= 0)
        .orElseThrow(() ->
            ApiProblem.bad(
                "advance: expected a duration from 1s to 31d such as 1h or 1d; study time cannot go"
                    + " back."));
  }
}
