package org.habitline.staff.imports;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.BackgroundWork;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out stored imports in the background, row by row in their order. Each row is an enrolment
 * by the person who started the import. A row is enrolled and marked in one transaction, so after a
 * crash, on this node or another, the next row follows and no row is repeated or left out.
 */
@Singleton
public final class Imports {

  private static final Logger log = LoggerFactory.getLogger(Imports.class);

  /** How long an unconfirmed preview is kept; no one reads one for longer. */
  private static final Duration PREVIEWS_KEPT = Duration.ofHours(2);

  /** Attempts after which a row that keeps failing for an unknown reason is given up. */
  private static final int TRIES = 5;

  private final EnrolmentDesk desk;
  private final JdbcImports rows;
  private final Transactions transactions;
  private final Clock systemClock;
  private final BackgroundWork work;
  private int failures;

  Imports(
      EnrolmentDesk desk,
      JdbcImports rows,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.desk = desk;
    this.rows = rows;
    this.transactions = transactions;
    this.systemClock = systemClock;
    this.work =
        new BackgroundWork(
            "imports", () -> transactions.read(() -> rows.running()) > 0, this::carryOutNext);
  }

  /**
   * Starts the background thread, which continues the imports that an earlier run left unfinished.
   */
  public void start() {
    work.start();
  }

  /**
   * Stops the background thread after the current row, waiting up to 5 seconds; the next start
   * continues with the next row.
   */
  public void stop() {
    work.stop();
  }

  /** Wakes the background thread because an import was started. */
  void nudge() {
    work.nudge();
  }

  /** Deletes previews that were not confirmed within two hours. */
  public void forgetPreviews() {
    var before = systemClock.instant().minus(PREVIEWS_KEPT);
    transactions.write(() -> rows.forgetPreviews(before));
    for (var id : transactions.read(() -> rows.forgotten())) {
      InBatches.of(transactions)
          .delete(most -> rows.numbers(id, most), numbers -> rows.discardRows(id, numbers));
      transactions.write(() -> rows.delete(id));
    }
  }

  /** Rolls back the enrolment of a row that failed, and names the row. */
  private static final class NotEnrolled extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient JdbcImports.Line row;

    private NotEnrolled(JdbcImports.Line row, RuntimeException cause) {
      super(cause.getClass().getName(), cause);
      this.row = row;
    }
  }

  /** Carries out one row and returns whether there was anything to do. */
  private boolean carryOutNext() {
    try {
      boolean found = transactions.write(() -> oneRow());
      failures = 0;
      return found;
    } catch (NotEnrolled e) {
      return end(e.row, e);
    }
  }

  private boolean oneRow() {
    var list = rows.takeOldest();
    if (list.isEmpty()) {
      return false;
    }
    var row = rows.next(list.get().id());
    if (row.isEmpty()) {
      rows.finish(list.get().id(), systemClock.instant());
      return true;
    }
    enrol(list.get(), row.get());
    return true;
  }

  private void enrol(JdbcImports.Row list, JdbcImports.Line row) {
    try {
      var enrolled = desk.enrol(new Actor(list.actor(), list.role()), ImportDesk.wanted(list, row));
      rows.decide(
          row.importId(),
          row.number(),
          ImportRowStatus.ENROLLED,
          enrolled.participant().id(),
          null,
          ImportDesk.warnings(enrolled.warnings()));
    } catch (RuntimeException e) {
      throw new NotEnrolled(row, e);
    }
  }

  /**
   * Stores the result of a failed row in its own transaction, because the enrolment has been rolled
   * back.
   */
  private boolean end(JdbcImports.Line row, NotEnrolled failure) {
    if (failure.getCause() instanceof ApiProblem problem) {
      failures = 0;
      var status =
          problem.status().getCode() == 409 ? ImportRowStatus.DUPLICATE : ImportRowStatus.ERROR;
      end(row, status, problem.sentence());
      return true;
    }
    failures++;
    if (failures < TRIES) {
      throw failure;
    }
    failures = 0;
    log.error(
        "Row {} of {} cannot be enrolled and is not tried again: {}",
        row.number(),
        row.importId(),
        failure.getMessage());
    end(
        row,
        ImportRowStatus.ERROR,
        "An internal error occurred. Enrol this person under Participants.");
    return true;
  }

  private void end(JdbcImports.Line row, ImportRowStatus status, String sentence) {
    transactions.write(
        () -> rows.decide(row.importId(), row.number(), status, null, sentence, null));
  }
}
