package org.habitline.whole;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A TCP cable between the line and a server that it needs. While it is cut, the connections over it
 * are reset and new ones are refused, as if the server had stopped. While it is silent nothing
 * comes through and nobody is told, as if the machine had lost its power; connections from before
 * stay so.
 */
final class Cable implements AutoCloseable {

  /**
   * Below the ports that the system gives away: nobody else gets this one while the cable is cut.
   */
  private static final int LOWEST_PORT = 20_000;

  private static final int HIGHEST_PORT = 30_000;
  private static final int WAITING_AT_MOST = 1024;
  private static final int BUFFER = 16 << 10;

  private final InetSocketAddress server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<Socket> ends = ConcurrentHashMap.newKeySet();
  private final Set<Socket> silenced = ConcurrentHashMap.newKeySet();
  private final int port;
  private volatile boolean silent;
  private @Nullable ServerSocket door;

  /** A cable to a server on this machine. */
  Cable(int serverPort) {
    this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
    var free = anyDoor();
    this.port = free.getLocalPort();
    open(free);
  }

  /** Where the near end is. */
  int port() {
    return port;
  }

  synchronized void cut() {
    try {
      Objects.requireNonNull(door, "cut already").close();
      door = null;
      ends.forEach(Cable::reset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void silence() {
    silent = true;
    silenced.addAll(ends);
  }

  synchronized void mend() {
    silent = false;
    try {
      if (door == null) {
        open(door(port));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServerSocket anyDoor() {
    while (true) {
      try {
        return door(ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT));
      } catch (IOException e) {
        // Somebody listens there; another port will do.
      }
    }
  }

  private static ServerSocket door(int port) throws IOException {
    return new ServerSocket(port, WAITING_AT_MOST, InetAddress.getLoopbackAddress());
  }

  private void open(ServerSocket opened) {
    door = opened;
    var _ = threads.submit(() -> accept(opened));
  }

  private void accept(ServerSocket opened) {
    try {
      while (true) {
        connect(opened.accept());
      }
    } catch (IOException e) {
      // The cable was cut.
    }
  }

  private void connect(Socket near) {
    try {
      ends.add(near);
      var far = new Socket();
      ends.add(far);
      if (silent) {
        silenced.addAll(List.of(near, far));
      }
      near.setTcpNoDelay(true);
      far.setTcpNoDelay(true);
      far.connect(server);
      var _ = threads.submit(() -> carry(near, far));
      var _ = threads.submit(() -> carry(far, near));
    } catch (IOException e) {
      reset(near);
      forget(near);
    }
  }

  private void forget(Socket end) {
    ends.remove(end);
    silenced.remove(end);
  }

  private void carry(Socket from, Socket to) {
    try (from;
        to) {
      var in = from.getInputStream();
      var out = to.getOutputStream();
      var buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!silenced.contains(from)) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      // One of the two has hung up, or the cable was cut.
    } finally {
      forget(from);
      forget(to);
    }
  }

  private static void reset(Socket end) {
    try {
      end.setSoLinger(true, 0);
      end.close();
    } catch (IOException e) {
      // It was closed already.
    }
  }

  @Override
  public synchronized void close() {
    if (door != null) {
      cut();
    }
    threads.shutdownNow();
  }
}
