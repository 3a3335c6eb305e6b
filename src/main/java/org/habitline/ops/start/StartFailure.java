package org.habitline.ops.start;

import java.io.PrintStream;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.flywaydb.core.internal.exception.FlywayMigrateException;
import org.habitline.flows.BrokenFlow;
import org.habitline.ops.database.DatabaseRefused;
import org.habitline.ops.database.OwnConnections;
import org.habitline.protocol.BrokenStudy;
import org.habitline.safety.rules.BrokenRules;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Thrown when the service cannot start; the message tells the operator why in one sentence. */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final String FILE = "config/application.yml in the home folder";

  /** H2: the file is open in another process. */
  private static final int H2_IN_USE = 90020;

  /** H2: cannot create, write or read a file; the database is read-only. */
  private static final Set<Integer> H2_NO_ACCESS = Set.of(90062, 90028, 90031, 90097);

  /** H2: the file is no database, one of another version, or an index does not fit its table. */
  private static final Set<Integer> H2_UNREADABLE = Set.of(90030, 90048, 90112);

  /** PostgreSQL: SQLSTATEs of failures that an operator can fix. */
  private static final Map<String, String> POSTGRESQL =
      Map.of(
          "3D000",
          "DATABASE_URL: there is no database with that name; create an empty one first.",
          "42501",
          "DATABASE_USER: the user is not allowed to create or use the tables in the database; make"
              + " it the owner of the database.",
          "53300",
          "DATABASE_URL: the database has no free connection; raise its max_connections, or stop other clients.",
          "57P03",
          "DATABASE_URL: the database is starting or stopping; start the service when it"
              + " accepts connections.",
          "25006",
          "DATABASE_URL: the database is read-only, perhaps a standby; use the address of the primary server.");

  /** PostgreSQL: SQLSTATEs that stop the making of the tables, with their meaning. */
  private static final Map<String, String> TABLES =
      Map.of(
          "55P03",
          "another client locked a table for more than "
              + OwnConnections.LOCK_WAIT.toSeconds()
              + " s, such as a backup, a long query or a frozen node. Nothing was changed. End that client"
              + " or wait for it, and start again.",
          "40P01",
          "a deadlock with another transaction occurred. Nothing was changed; start again.",
          "57014",
          "the database cancelled a statement, because of its administrator or a timeout. Nothing was"
              + " changed; start again.",
          "57P01",
          "the database's administrator ended the connection. Nothing was changed; start again.",
          "53100",
          "the disk of the database is full. Nothing was changed. Free space and start again.",
          "42501",
          "the user is not allowed to change the tables; make DATABASE_USER the owner of the"
              + " database and start again.");

  /** PostgreSQL's driver: the server responded, but the connection was rejected. */
  private static final String NOT_AS_ASKED = "08004";

  /** Part of the operating system's message when the address, not the port, is wrong. */
  private static final String NOT_OUR_ADDRESS = "assign";

  StartFailure(String sentence) {
    super(sentence, null, false, false);
  }

  /**
   * Prints why the start failed: one sentence if an operator can fix it, every detail if it is a
   * programming error.
   */
  public static void tell(Throwable failure, PrintStream err) {
    var sentence = sentence(failure);
    if (sentence.isPresent()) {
      err.println("Habitline did not start. " + sentence.get());
    } else {
      err.println("Habitline did not start, because of an unexpected failure:");
      if (chain(failure).anyMatch(SQLException.class::isInstance)) {
        chain(failure).forEach(cause -> withoutWords(cause, err));
      } else {
        failure.printStackTrace(err);
      }
    }
    err.flush();
  }

  /**
   * Prints a failure without its messages, because a database may quote data in them, and wrapping
   * exceptions repeat that.
   */
  private static void withoutWords(Throwable cause, PrintStream err) {
    err.println(
        cause.getClass().getName()
            + (cause instanceof SQLException sql
                ? ", SQLSTATE " + sql.getSQLState() + ", error " + sql.getErrorCode()
                : ""));
    for (var frame : cause.getStackTrace()) {
      err.println("\tat " + frame);
    }
  }

  private static Stream<Throwable> chain(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  /** Returns the sentence for a failed start, or empty for an unknown failure. */
  static Optional<String> sentence(Throwable failure) {
    return chain(failure).map(StartFailure::known).filter(Objects::nonNull).findFirst();
  }

  /** Returns the only mistake, or all of them, each on a line of its own. */
  private static String flows(List<String> mistakes) {
    return mistakes.size() == 1
        ? mistakes.getFirst()
        : "The flows have " + mistakes.size() + " mistakes:\n  " + String.join("\n  ", mistakes);
  }

  private static @Nullable String known(Throwable cause) {
    return switch (cause) {
      case StartFailure ours -> ours.getMessage();
      case BrokenFlow flow -> flows(flow.mistakes());
      case BrokenRules rules -> rules.getMessage();
      case BrokenStudy study -> study.getMessage();
      case BindException bind when String.valueOf(bind.getMessage()).contains(NOT_OUR_ADDRESS) ->
          noSuchAddress();
      case BindException bind ->
          "HABITLINE_PORT: the port is in use by another program, or this user is not allowed to"
              + " listen on it; stop that program or choose another port (0 takes any free one).";
      case UnknownHostException unknown -> noSuchAddress();
      case UnresolvedAddressException unknown -> noSuchAddress();
      case MarkedYAMLException yaml when yaml.getProblemMark() != null ->
          FILE + ": not readable as YAML at line " + (yaml.getProblemMark().getLine() + 1) + ".";
      case YAMLException yaml -> FILE + ": not readable as YAML.";
      case DatabaseRefused refused -> refused.getMessage();
      case FlywayMigrateException making -> tables(making);
      case SQLException sql -> database(sql);
      default -> null;
    };
  }

  /**
   * Returns the sentence for tables that could not be made, or {@code null} if the failure of the
   * statement among the causes says more.
   */
  private static @Nullable String tables(FlywayMigrateException failure) {
    return chain(failure)
        .filter(SQLException.class::isInstance)
        .map(SQLException.class::cast)
        .map(StartFailure::whyNot)
        .filter(Objects::nonNull)
        .findFirst()
        .map(why -> "The tables in the database could not be made: " + why)
        .orElse(null);
  }

  private static @Nullable String whyNot(SQLException failure) {
    var state = failure.getSQLState() == null ? "" : failure.getSQLState();
    if (failure.getErrorCode() != 0) {
      return null;
    }
    if (state.startsWith("08")) {
      return "the connection to the database broke. Nothing was changed; start again.";
    }
    return TABLES.get(state);
  }

  private static String noSuchAddress() {
    return "HABITLINE_HOST: this machine has no such address; expected one of its own, such as"
        + " 127.0.0.1 or 0.0.0.0.";
  }

  private static @Nullable String database(SQLException failure) {
    var state = failure.getSQLState() == null ? "" : failure.getSQLState();
    // PostgreSQL reports the kind in its SQLSTATE class and leaves the vendor code at 0.
    if (failure.getErrorCode() == 0 && state.equals(NOT_AS_ASKED)) {
      return notAsAsked(failure);
    }
    if (failure.getErrorCode() == 0 && state.startsWith("08")) {
      return "DATABASE_URL: the database cannot be reached; check host and port, and that it accepts connections"
          + " from here.";
    }
    if (failure.getErrorCode() == 0 && state.startsWith("28")) {
      return "DATABASE_USER, DATABASE_PASSWORD: the database rejects this user or password.";
    }
    return failure.getErrorCode() == 0 ? POSTGRESQL.get(state) : h2(failure.getErrorCode());
  }

  /**
   * Returns the sentence for a rejected connection. Only the driver's localised message tells the
   * reasons apart.
   */
  private static String notAsAsked(SQLException failure) {
    return String.valueOf(failure.getMessage()).contains("password")
        ? "DATABASE_PASSWORD: the database requires a password, but none is set."
        : "DATABASE_URL, DATABASE_PASSWORD: the database can be reached but refuses the connection. Check sslmode"
            + " in DATABASE_URL, and that a password is set if the database requires one.";
  }

  private static @Nullable String h2(int code) {
    if (code == H2_IN_USE) {
      return "HABITLINE_HOME: the database in its data folder is open in another process; only"
          + " one process at a time can use it.";
    }
    if (H2_NO_ACCESS.contains(code)) {
      return "HABITLINE_HOME: the database in its data folder cannot be read and written. Give"
          + " the user that runs the service access to it, and check that there is free space.";
    }
    return H2_UNREADABLE.contains(code)
        ? "HABITLINE_HOME: the database in its data folder is damaged or was written by another"
            + " version of the database engine; restore a backup or choose another home folder."
        : null;
  }
}
