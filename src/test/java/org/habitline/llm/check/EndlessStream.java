package org.habitline.llm.check;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * A server whose stream begins and never ends. It notices when the client closes the connection,
 * which the JDK's HTTP server does not tell before the next byte is written.
 */
final class EndlessStream implements AutoCloseable {

  private static final String HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100000\r\n\r\n";

  /** Reasoning in a field of its own, so that the words after it are passed on at once. */
  private static final String BEGINNING =
      """
      data: {"choices":[{"index":0,"delta":{"reasoning_content":"I count."}}]}

      data: {"choices":[{"index":0,"delta":{"content":"1 2 "}}]}

      """;

  private final ServerSocket server;
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

  private EndlessStream(ServerSocket server) {
    this.server = server;
  }

  static EndlessStream start() throws IOException {
    var stream = new EndlessStream(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    Thread.ofVirtual().start(stream::serve);
    return stream;
  }

  String baseUrl() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/v1";
  }

  /** Whether the client closed the connection while the stream went on. */
  CompletableFuture<Boolean> closedByClient() {
    return closed;
  }

  private void serve() {
    try (var socket = server.accept()) {
      answer(socket);
    } catch (IOException e) {
      closed.completeExceptionally(new UncheckedIOException(e));
    }
  }

  private void answer(Socket socket) throws IOException {
    var in = socket.getInputStream();
    readRequest(in);
    socket.getOutputStream().write((HEAD + BEGINNING).getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
    try {
      closed.complete(in.read() < 0);
    } catch (IOException e) {
      // A reset closes the connection as well.
      closed.complete(true);
    }
  }

  private static void readRequest(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    var length =
        head.toString()
            .lines()
            .filter(line -> line.regionMatches(true, 0, "Content-Length:", 0, 15))
            .map(line -> line.substring(15).strip())
            .findFirst()
            .orElseThrow();
    in.readNBytes(Integer.parseInt(length));
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
