package org.habitline.ops.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Rows of an earlier version that are brought up to date while the line works, a thousand in each
 * transaction. A batch that was undone is carried out again, and one that is carried out twice
 * changes nothing the second time.
 */
interface Backfill {

  /** What stands for it in the database, in the log and in {@code /health}. */
  String name();

  /** Whether nodes of an earlier version, as long as they run, write rows that it must look at. */
  boolean goesOn();

  /** Where to begin again, for rows that were committed late, before a place that was reached. */
  default String before(String position) {
    return position;
  }

  /** What comes after a batch. */
  enum Next {
    /** Another batch. */
    MORE,
    /** The next rows are held by somebody at this moment. */
    LATER,
    /** Nothing is left. */
    NOTHING
  }

  /**
   * How far a batch came.
   *
   * @param position where the next one begins
   * @param seen how many rows were looked at
   */
  record Progress(String position, long seen, Next next) {}

  /**
   * Carries the next batch out in the transaction of this connection.
   *
   * @param position as an earlier batch returned it, or empty at the beginning
   */
  Progress next(Connection connection, String position) throws SQLException;
}
