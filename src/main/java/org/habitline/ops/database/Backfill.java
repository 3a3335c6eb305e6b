package org.habitline.ops.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Brings rows of an earlier version up to date while the service runs, a thousand in each
 * transaction. A batch that is rolled back is repeated, and repeating a finished batch changes
 * nothing.
 */
interface Backfill {

  /** Returns the name used in the database, in the log and in {@code /health}. */
  String name();

  /**
   * Returns whether nodes of an earlier version, while they run, still write rows that must be
   * converted.
   */
  boolean goesOn();

  /**
   * Returns where to resume a little before a reached position, to find rows that were committed
   * late.
   */
  default String before(String position) {
    return position;
  }

  /** What to do after a batch. */
  enum Next {
    /** Run another batch. */
    MORE,
    /** Try again later: the next rows are locked. */
    LATER,
    /** Stop: nothing is left. */
    NOTHING
  }

  /**
   * The progress after a batch.
   *
   * @param position where the next batch begins
   * @param seen how many rows were checked
   */
  record Progress(String position, long seen, Next next) {}

  /**
   * Runs the next batch in the transaction of this connection.
   *
   * @param position as the last batch returned it, or empty at the beginning
   */
  Progress next(Connection connection, String position) throws SQLException;
}
