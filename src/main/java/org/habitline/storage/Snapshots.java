package org.habitline.storage;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

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

  /** Reads from connections that all see the same snapshot, each on a thread of its own. */
  interface SideBySide<R> {
    R read(List<Connection> snapshots) throws SQLException;
  }

  /** Runs the reading on as many connections as are of use: one if the database allows no more. */
  default <R> R readSideBySide(SideBySide<R> reading) throws SQLException {
    return read(snapshot -> reading.read(List.of(snapshot)));
  }
}
