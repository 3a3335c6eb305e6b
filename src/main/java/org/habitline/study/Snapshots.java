package org.habitline.study;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The database as it was at one moment, for work that reads for a long time. Nothing that is
 * committed meanwhile is seen, and no bound on statements or silence ends it.
 */
public interface Snapshots {

  /** Reads from the snapshot and returns what came of it. */
  interface Reading<R> {
    R read(Connection snapshot) throws SQLException;
  }

  /**
   * Carries the reading out on a connection of its own, which cannot write. Waits a while if others
   * read already.
   */
  <R> R read(Reading<R> reading) throws SQLException;
}
