package org.habitline.tools.mcp;

import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong with a request, read from the types of its exception and never from their
 * messages, which may quote the server.
 *
 * @param sent whether the request may have arrived
 * @param why for staff; continues "MCP server calendar: "
 */
record Failure(boolean sent, String why) {

  static Failure of(Throwable thrown) {
    if (has(thrown, McpTransportSessionNotFoundException.class)) {
      // By the protocol, a server that does not know the session has not carried out the request.
      return new Failure(false, "it does not know the session; it may have been started again");
    }
    if (has(thrown, HttpConnectTimeoutException.class)
        || has(thrown, ConnectException.class)
        || has(thrown, UnknownHostException.class)) {
      return new Failure(false, "no connection can be made");
    }
    var cannot = find(thrown, CannotUse.class);
    if (cannot != null) {
      return new Failure(true, cannot.why());
    }
    var refused = find(thrown, McpHttpClientTransportAuthorizationException.class);
    if (refused != null) {
      return new Failure(
          false,
          "it refuses the request with HTTP status " + refused.getResponseInfo().statusCode());
    }
    if (has(thrown, TimeoutException.class)) {
      return new Failure(true, "it does not answer in time");
    }
    var error = find(thrown, McpError.class);
    if (error != null && error.getJsonRpcError() != null) {
      return new Failure(true, "it answers with error " + error.getJsonRpcError().code());
    }
    return new Failure(
        true, "its answer is missing or cannot be used (" + root(thrown).getSimpleName() + ")");
  }

  private static boolean has(Throwable thrown, Class<? extends Throwable> type) {
    return find(thrown, type) != null;
  }

  /** Returns the exception of this type among the causes, or {@code null} if there is none. */
  static <T extends Throwable> @Nullable T find(Throwable thrown, Class<T> type) {
    for (var at = thrown; at != null; at = at.getCause()) {
      if (type.isInstance(at)) {
        return type.cast(at);
      }
    }
    return null;
  }

  private static Class<?> root(Throwable thrown) {
    var at = thrown;
    for (var cause = at.getCause(); cause != null; cause = cause.getCause()) {
      at = cause;
    }
    return at.getClass();
  }
}
