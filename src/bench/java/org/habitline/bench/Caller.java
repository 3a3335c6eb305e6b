package org.habitline.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * An HTTP client on one persistent connection. It does as little as possible, to leave the machine
 * to the server.
 */
final class Caller implements AutoCloseable {

  private static final String LENGTH = "content-length:";

  private final Socket socket;
  private final InputStream in;
  private final byte[] line = new byte[8192];

  private Caller(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  static Caller to(int port) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    return new Caller(socket);
  }

  /** Sends the request, reads the whole response and returns its status. */
  int send(byte[] request) throws IOException {
    socket.getOutputStream().write(request);
    var status = Integer.parseInt(readLine().substring(9, 12));
    var length = -1;
    for (var header = readLine(); !header.isEmpty(); header = readLine()) {
      if (header.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
        length = Integer.parseInt(header.substring(LENGTH.length()).strip());
      }
    }
    if (length < 0) {
      throw new IOException("The response has no Content-Length.");
    }
    in.skipNBytes(length);
    return status;
  }

  private String readLine() throws IOException {
    var length = 0;
    while (true) {
      var next = in.read();
      if (next < 0) {
        throw new EOFException("The server closed the connection.");
      }
      if (next == '\n') {
        return new String(line, 0, length - 1, StandardCharsets.US_ASCII);
      }
      line[length++] = (byte) next;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
