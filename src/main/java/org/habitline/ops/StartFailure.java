package org.habitline.ops;

import java.io.PrintStream;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.habitline.flows.BrokenFlow;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Why the line did not start, in one sentence for whoever started it. */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final String FILE = "config/application.yml in the home folder";

  /** H2: the file is open in another process. */
  private static final int H2_IN_USE = 90020;

  /** H2: cannot create, write or read a file; the database is read-only. */
  private static final Set<Integer> H2_NO_ACCESS = Set.of(90062, 90028, 90031, 90097);

  /** H2: the file is no database, one of another version, or an index does not fit its table. */
  private static final Set<Integer> H2_UNREADABLE = Set.of(90030, 90048, 90112);

  /** What the operating system says when the port is fine and the address is not. */
  private static final String NOT_OUR_ADDRESS = "assign";

  StartFailure(String sentence) {
    super(sentence, null, false, false);
  }

  /**
   * Tells what stopped the start: in one sentence if it is something an operator can put right,
   * with every detail if it is a mistake in the program.
   */
  public static void tell(Throwable failure, PrintStream err) {
    var sentence = sentence(failure);
    if (sentence.isPresent()) {
      err.println("Habitline did not start. " + sentence.get());
    } else {
      err.println("Habitline did not start, for a reason it does not know:");
      failure.printStackTrace(err);
    }
    err.flush();
  }

  /** Returns the sentence for a failed start, or empty if the failure is none that is known. */
  static Optional<String> sentence(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      var known = known(cause);
      if (known != null) {
        return Optional.of(known);
      }
    }
    return Optional.empty();
  }

  private static @Nullable String known(Throwable cause) {
    return switch (cause) {
      case StartFailure ours -> ours.getMessage();
      case BrokenFlow flow -> flow.getMessage();
      case BindException bind when String.valueOf(bind.getMessage()).contains(NOT_OUR_ADDRESS) ->
          noSuchAddress();
      case BindException bind ->
          "HABITLINE_PORT: the port is in use by another program, or this user may not listen on it;"
              + " stop that program or choose another port (0 takes any free one).";
      case UnknownHostException unknown -> noSuchAddress();
      case UnresolvedAddressException unknown -> noSuchAddress();
      case MarkedYAMLException yaml when yaml.getProblemMark() != null ->
          FILE + ": not readable as YAML at line " + (yaml.getProblemMark().getLine() + 1) + ".";
      case YAMLException yaml -> FILE + ": not readable as YAML.";
      case SQLException sql -> database(sql);
      default -> null;
    };
  }

  private static String noSuchAddress() {
    return "HABITLINE_HOST: this machine has no such address; expected one of its own, such as"
        + " 127.0.0.1 or 0.0.0.0.";
  }

  private static @Nullable String database(SQLException failure) {
    var state = failure.getSQLState() == null ? "" : failure.getSQLState();
    // PostgreSQL says it by the class of its SQLSTATE and leaves the vendor's code at 0.
    if (failure.getErrorCode() == 0 && state.startsWith("08")) {
      return "DATABASE_URL: the database cannot be reached; check host and port, and that it accepts connections"
          + " from here.";
    }
    if (failure.getErrorCode() == 0 && state.startsWith("28")) {
      return "DATABASE_USER, DATABASE_PASSWORD: the database does not accept them.";
    }
    if (failure.getErrorCode() == 0 && state.equals("3D000")) {
      return "DATABASE_URL: there is no database of that name; create it first, empty.";
    }
    return h2(failure.getErrorCode());
  }

  private static @Nullable String h2(int code) {
    if (code == H2_IN_USE) {
      return "HABITLINE_HOME: the database in its data folder is open in another process; one line at a time"
          + " can use it.";
    }
    if (H2_NO_ACCESS.contains(code)) {
      return "HABITLINE_HOME: the database in its data folder cannot be read and written; give the user that"
          + " runs the line access to it, and free space.";
    }
    return H2_UNREADABLE.contains(code)
        ? "HABITLINE_HOME: the database in its data folder is damaged or of another version; put a backup back"
            + " or choose another home."
        : null;
  }
}
