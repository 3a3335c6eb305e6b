package org.habitline.participants;

import java.sql.Connection;
import java.sql.SQLException;

/** What the line must know of the database that it stands on. */
public final class Database {

  private Database() {}

  /** Whether this is the H2 file, which no other process can have open. */
  public static boolean isFile(Connection connection) {
    try {
      return connection.getMetaData().getDatabaseProductName().equals("H2");
    } catch (SQLException e) {
      throw new IllegalStateException("The database does not say what it is.", e);
    }
  }
}
