package org.habitline.ops;

import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.sql.SQLException;
import org.habitline.flows.BrokenFlow;
import org.jspecify.annotations.Nullable;

/** Why the line did not start, in one sentence for whoever started it. */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** H2: the file is open in another process. */
  private static final int H2_DATABASE_IN_USE = 90020;

  StartFailure(String sentence) {
    super(sentence);
  }

  /** Returns the sentence for a failed start. */
  public static String sentence(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      var known = known(cause);
      if (known != null) {
        return "Habitline did not start. " + known;
      }
    }
    return "Habitline did not start: "
        + root(failure).getClass().getSimpleName()
        + ": "
        + root(failure).getMessage();
  }

  private static @Nullable String known(Throwable cause) {
    return switch (cause) {
      case StartFailure ours -> ours.getMessage();
      case BrokenFlow flow -> flow.getMessage();
      case BindException bind ->
          "HABITLINE_PORT: the port is in use by another program; stop it or choose another port (0 takes any free one).";
      case AccessDeniedException denied ->
          "HABITLINE_HOME: "
              + denied.getFile()
              + " cannot be written; give the user that runs the line access to it.";
      case SQLException sql when sql.getErrorCode() == H2_DATABASE_IN_USE ->
          "HABITLINE_HOME: the database in its data folder is open in another process; one line at a time can use it.";
      default -> null;
    };
  }

  private static Throwable root(Throwable failure) {
    var root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
