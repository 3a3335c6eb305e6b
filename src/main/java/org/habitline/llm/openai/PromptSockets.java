package org.habitline.llm.openai;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates sockets that send at once (TCP_NODELAY). OkHttp leaves Nagle's algorithm on, which delays
 * the end of a request of more than 8 KiB until the server's delayed acknowledgement: some 40 ms on
 * every call of a turn.
 */
final class PromptSockets extends SocketFactory {

  @Override
  public Socket createSocket() throws IOException {
    var socket = new Socket();
    socket.setTcpNoDelay(true);
    return socket;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port), null);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress from, int fromPort)
      throws IOException {
    return connected(new InetSocketAddress(host, port), new InetSocketAddress(from, fromPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port), null);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort)
      throws IOException {
    return connected(new InetSocketAddress(host, port), new InetSocketAddress(from, fromPort));
  }

  private Socket connected(InetSocketAddress to, @Nullable InetSocketAddress from)
      throws IOException {
    var socket = createSocket();
    if (from != null) {
      socket.bind(from);
    }
    socket.connect(to);
    return socket;
  }
}
