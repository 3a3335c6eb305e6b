package org.habitline.ops.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that somebody holds without using them. */
class ConnectionBoundsTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String HEADERS = "POST /login HTTP/1.1\r\nHost: x\r\n";

  /** A connection whose time stands still until the test moves it. */
  private static EmbeddedChannel connection() {
    var deadline = new ConnectionBounds.Deadline(MINUTE);
    var channel = new EmbeddedChannel();
    channel.freezeTime();
    channel.pipeline().addLast(deadline.bytes(), new HttpServerCodec(), deadline.parts());
    channel.pipeline().fireChannelActive();
    return channel;
  }

  private static void comes(EmbeddedChannel connection, String words) {
    connection.writeInbound(Unpooled.copiedBuffer(words, US_ASCII));
  }

  private static void pass(EmbeddedChannel connection, Duration time) {
    connection.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    connection.runScheduledPendingTasks();
  }

  /** One byte a second; returns how many were taken. */
  private static int trickle(EmbeddedChannel connection, String bytes, int most) {
    for (int i = 0; i < most; i++) {
      if (!connection.isOpen()) {
        return i;
      }
      comes(connection, bytes);
      pass(connection, Duration.ofSeconds(1));
    }
    return most;
  }

  @Test
  void headersThatTrickleAreCut() {
    var connection = connection();
    comes(connection, HEADERS);
    assertThat(trickle(connection, "X-a: b\r\n", 1000)).isEqualTo(20);
  }

  @Test
  void aConnectionOnWhichNothingComesIsCut() {
    var connection = connection();
    pass(connection, ConnectionBounds.HEADERS_WITHIN.minusSeconds(1));
    assertThat(connection.isOpen()).isTrue();
    pass(connection, Duration.ofSeconds(1));
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void aBodyThatTricklesIsCut() {
    var connection = connection();
    comes(connection, HEADERS + "Content-Length: 1000\r\n\r\n");
    assertThat(trickle(connection, "x", 1000)).isEqualTo(60);
    connection = connection();
    comes(connection, HEADERS + "Transfer-Encoding: chunked\r\n\r\n");
    assertThat(trickle(connection, "1\r\nx\r\n", 1000)).isEqualTo(60);
  }

  @Test
  void aRequestThatIsCompleteMayBeAnsweredForAsLongAsItTakes() {
    var connection = connection();
    comes(connection, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
    pass(connection, Duration.ofHours(1));
    assertThat(connection.isOpen()).isTrue();
    comes(connection, "GET /events HTTP/1.1\r\nHo");
    assertThat(trickle(connection, "s", 1000)).isEqualTo(20);
  }

  @Test
  void aWebSocketLasts() {
    var connection = connection();
    comes(connection, "GET /ws/chat HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n");
    connection.pipeline().remove(HttpServerCodec.class);
    assertThat(trickle(connection, "x", 200)).isEqualTo(200);
  }

  /** Comes from an address that is not this machine's. */
  private static EmbeddedChannel from(String address, ConnectionBounds bounds) {
    var channel =
        new EmbeddedChannel() {
          @Override
          protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(address, 50_000);
          }
        };
    channel.pipeline().addFirst(bounds.new Count());
    return channel;
  }

  @Test
  void oneSourceHoldsSoManyConnectionsAtATime() {
    var bounds = new ConnectionBounds(MINUTE, "", "");
    var held = new ArrayList<EmbeddedChannel>();
    for (int i = 0; i < ConnectionBounds.OF_ONE_SOURCE; i++) {
      held.add(from("2001:db8::" + Integer.toHexString(i + 1), bounds));
    }
    assertThat(held).allMatch(EmbeddedChannel::isOpen);
    assertThat(from("2001:db8::ffff", bounds).isOpen()).isFalse();
    assertThat(from("2001:db8:0:1::1", bounds).isOpen()).isTrue();
    var _ = held.getFirst().close();
    assertThat(from("2001:db8::ffff", bounds).isOpen()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "192.0.2.1"})
  void thisMachineAndAProxyHoldAsManyAsTheyLike(String address) {
    var proxied = !address.startsWith("127.");
    var bounds = new ConnectionBounds(MINUTE, proxied ? "https://line.example" : "", "");
    for (int i = 0; i < 2 * ConnectionBounds.OF_ONE_SOURCE; i++) {
      assertThat(from(address, bounds).isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Content-Length: 100000\r\n\r\n"})
  void theServerCutsWhoeverTrickles(String more) throws IOException {
    try (var doors = Doors.open(Map.of("habitline.request-timeout", "1s"));
        var socket = doors.connect()) {
      socket.getOutputStream().write((HEADERS + more).getBytes(US_ASCII));
      socket.setSoTimeout(50);
      assertThat(cutWhileTrickling(socket)).isTrue();
    }
  }

  /** Sends one byte after the other until the other end has closed. */
  private static boolean cutWhileTrickling(Socket socket) {
    for (int i = 0; i < 1000; i++) {
      try {
        socket.getOutputStream().write('x');
        if (socket.getInputStream().read() < 0) {
          return true;
        }
      } catch (java.net.SocketTimeoutException open) {
        // Nothing came within this time; it goes on.
      } catch (IOException closed) {
        return true;
      }
    }
    return false;
  }
}
