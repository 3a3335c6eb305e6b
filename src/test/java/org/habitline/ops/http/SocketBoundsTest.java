package org.habitline.ops.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.Test;

/** What WebSockets make the program hold, counted in bytes. */
class SocketBoundsTest {

  private static final int TEXT = 0x1;
  private static final int CONTINUATION = 0x0;
  private static final int PING = 0x9;
  private static final int PONG = 0xA;
  private static final int FINAL = 0x80;
  private static final int PIECE = 60_000;

  /** A chat of somebody who speaks the protocol byte by byte. */
  private static final class RawChat implements Closeable {
    private final Socket socket;
    private final DataInputStream in;
    private final String handshake;

    RawChat(Doors doors, String token) throws IOException {
      socket = doors.connect();
      in = new DataInputStream(socket.getInputStream());
      socket
          .getOutputStream()
          .write(
              ("GET /ws/chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                      + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                      + "Sec-WebSocket-Extensions: permessage-deflate\r\n"
                      + "Authorization: Bearer "
                      + token
                      + "\r\n\r\n")
                  .getBytes(US_ASCII));
      var read = new ByteArrayOutputStream();
      while (!read.toString(US_ASCII).endsWith("\r\n\r\n")) {
        read.write(in.readByte());
      }
      handshake = read.toString(US_ASCII);
    }

    /** Sends a frame whose mask is zero. */
    void send(int opcode, int length) throws IOException {
      var frame = new ByteArrayOutputStream();
      frame.write(opcode);
      if (length < 126) {
        frame.write(0x80 | length);
      } else {
        frame.write(0x80 | 126);
        frame.write(length >> 8);
        frame.write(length);
      }
      frame.writeBytes(new byte[4]);
      frame.writeBytes("x".repeat(length).getBytes(US_ASCII));
      socket.getOutputStream().write(frame.toByteArray());
    }

    /** Begins a frame and does not go on. */
    void begin(int length) throws IOException {
      socket.getOutputStream().write(new byte[] {(byte) (FINAL | TEXT), (byte) (0x80 | 126)});
      socket.getOutputStream().write(new byte[] {(byte) (length >> 8), (byte) length});
      socket.getOutputStream().write(new byte[length / 2]);
    }

    /** Reads up to a frame of this kind; whatever was sent before was then taken in. */
    void await(int opcode) throws IOException {
      while (true) {
        var kind = in.readByte() & 0xF;
        var length = in.readByte() & 0x7F;
        in.skipNBytes(length == 126 ? in.readUnsignedShort() : length);
        if (kind == opcode) {
          return;
        }
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static String token(Doors doors, int number) {
    var id =
        doors
            .at("/conversation/participants")
            .key(Doors.ADMIN_KEY)
            .json(
                "{\"phone_number\":\"+120655501%02d\",\"channel\":\"simulator\"}".formatted(number))
            .json()
            .at("/result/id")
            .asText();
    return doors
        .at("/conversation/participants/" + id + "/tokens")
        .key(Doors.ADMIN_KEY)
        .json("{}")
        .json()
        .at("/result/token")
        .asText();
  }

  @Test
  void unfinishedMessagesOfManyChatsAreHeldWithinABound() throws IOException {
    var chats = new ArrayList<RawChat>();
    try (var doors = Doors.open(Map.of())) {
      var bounds = doors.bean(SocketBounds.class);
      for (int person = 0; person < 4; person++) {
        var token = token(doors, person);
        for (int i = 0; i < 5; i++) {
          chats.add(new RawChat(doors, token));
        }
      }
      for (var chat : chats) {
        assertThat(chat.handshake).startsWith("HTTP/1.1 101").doesNotContain("deflate");
        chat.send(TEXT, PIECE);
        for (int sent = PIECE; sent < 900_000; sent += PIECE) {
          chat.send(CONTINUATION, PIECE);
        }
        chat.send(FINAL | PING, 0);
        chat.await(PONG);
      }
      // 0.9 MB came on each of them.
      assertThat(bounds.buffered())
          .isBetween((long) chats.size() * PIECE, (long) chats.size() * SocketBounds.KEPT_AT_MOST);
      for (var chat : chats) {
        chat.send(FINAL | CONTINUATION, 10);
        chat.await(TEXT);
        chat.begin(PIECE);
      }
      await()
          .untilAsserted(() ->
              assertThat(bounds.buffered())
                  .isBetween(chats.size() * (PIECE / 2L), chats.size() * (PIECE / 2L + 100)));
      for (var chat : chats) {
        chat.close();
      }
      await().untilAsserted(() -> assertThat(bounds.buffered()).isZero());
    }
  }

  private static EmbeddedChannel socket(AtomicLong all) {
    var held = new SocketBounds.Held(all);
    return new EmbeddedChannel(
        new SocketBounds.Bytes(held),
        new WebSocket13FrameDecoder(
            WebSocketDecoderConfig.newBuilder().expectMaskedFrames(true).build()),
        new SocketBounds.Frames(held));
  }

  @Test
  void whoeverDoesNotReadIsCutOff() {
    var all = new AtomicLong();
    var socket = socket(all);
    var told = 0;
    while (socket.isOpen() && told < 10 * SocketBounds.UNSENT_AT_MOST) {
      // Nothing of it leaves before it is flushed.
      var _ = socket.write(new TextWebSocketFrame("x".repeat(1000)));
      assertThat(all.get()).isLessThanOrEqualTo(SocketBounds.UNSENT_AT_MOST);
      told += 1000;
    }
    assertThat(socket.isOpen()).isFalse();
    assertThat(told).isBetween(SocketBounds.UNSENT_AT_MOST, SocketBounds.UNSENT_AT_MOST + 2000);
    assertThat(all.get()).isZero();
  }

  @Test
  void whoeverReadsIsToldAsMuchAsThereIs() {
    var all = new AtomicLong();
    var socket = socket(all);
    for (int told = 0; told < 10 * SocketBounds.UNSENT_AT_MOST; told += 1000) {
      socket.writeOutbound(new TextWebSocketFrame("x".repeat(1000)));
      socket.<WebSocketFrame>readOutbound().release();
    }
    assertThat(socket.isOpen()).isTrue();
    assertThat(all.get()).isZero();
  }

  @Test
  void allSocketsTogetherHaveABound() {
    var all = new AtomicLong(SocketBounds.ALL_AT_MOST - 5);
    var socket = socket(all);
    socket.writeInbound(Unpooled.wrappedBuffer(new byte[] {(byte) 0x81, (byte) 0xFE, 0x10}));
    assertThat(socket.isOpen()).isTrue();
    socket.writeInbound(Unpooled.wrappedBuffer(new byte[] {0x10, 0, 0, 0, 0}));
    assertThat(socket.<CloseWebSocketFrame>readOutbound().statusCode()).isEqualTo(1013);
    assertThat(socket.isOpen()).isFalse();
    assertThat(all.get()).isEqualTo(SocketBounds.ALL_AT_MOST - 5);
  }

  @Test
  void aMessageThatGrowsTooLongEndsTheSocket() {
    var all = new AtomicLong();
    var held = new SocketBounds.Held(all);
    var socket = new EmbeddedChannel(new SocketBounds.Frames(held));
    var most = 0L;
    for (int sent = 0; sent <= SocketBounds.LONGEST; sent += PIECE) {
      var piece = Unpooled.wrappedBuffer(new byte[PIECE]);
      socket.writeInbound(
          sent == 0
              ? new TextWebSocketFrame(false, 0, piece)
              : new ContinuationWebSocketFrame(false, 0, piece));
      most = Math.max(most, all.get());
    }
    assertThat(most).isBetween((long) PIECE, (long) SocketBounds.KEPT_AT_MOST);
    assertThat(socket.<CloseWebSocketFrame>readOutbound().statusCode()).isEqualTo(1009);
    assertThat(socket.isOpen()).isFalse();
  }
}
