package org.habitline.storage;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Reads the database as it was at one moment, for reads that take long. Later commits are not seen,
 * and no statement or idle timeout applies.
 */
public interface Snapshots {

  /** Reads from the snapshot and returns the result. */
  interface Reading<R> {
    R read(Connection snapshot) throws SQLException;
  }

  /**
   * Runs the reading on its own read-only connection. Waits a while if other readings are running.
   */
  <R> R read(Reading<R> reading) throws SQLException;
}
