package org.habitline.ops.http;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer.ChannelRole;
import io.micronaut.http.server.netty.websocket.NettyServerWebSocketUpgradeHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameDecoder;
import io.netty.util.ReferenceCountUtil;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory that WebSockets use: for an unfinished message, for data that the client does
 * not read, and for all sockets together. The server itself limits only single frames and joins any
 * number of them into a message. Compression is not offered: a frame of 64 KiB could unpack to a
 * thousand times as much.
 */
@Singleton
final class SocketBounds implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {

  /**
   * The most bytes kept of an unfinished message; the rest is dropped, so the message cannot be
   * read.
   */
  static final int KEPT_AT_MOST = 64 * 1024;

  /**
   * The most bytes of a message over all frames; a longer one closes the socket (RFC 6455, 1009).
   */
  static final int LONGEST = 1024 * 1024;

  /** The most bytes written to one socket that the client has not read. */
  static final int UNSENT_AT_MOST = 256 * 1024;

  /** The most bytes held for all sockets together. */
  static final long ALL_AT_MOST = 32L * 1024 * 1024;

  private final AtomicLong all = new AtomicLong();

  /** Returns the bytes held for all sockets now. */
  long buffered() {
    return all.get();
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    return new ConnectionCustomizer(
            Set.of(ChannelRole.CONNECTION, ChannelRole.REQUEST_STREAM), this::add)
        .register(event);
  }

  /** Adds the handlers around the connection's request handler. */
  private void add(ChannelPipeline pipeline) {
    if (pipeline.get(NettyServerWebSocketUpgradeHandler.COMPRESSION_HANDLER) != null) {
      pipeline.remove(NettyServerWebSocketUpgradeHandler.COMPRESSION_HANDLER);
    }
    var held = new Held(all);
    pipeline.addFirst("websocket-bytes", new Bytes(held));
    pipeline.addBefore(
        ChannelPipelineCustomizer.HANDLER_MICRONAUT_INBOUND, "websocket-frames", new Frames(held));
  }

  /** The bytes held for one socket. Not thread-safe: used only by the connection's own thread. */
  static final class Held {
    private final AtomicLong all;
    private long told;

    /** Bytes received and not yet decoded into a frame. */
    private long raw;

    /** Bytes in frames of the unfinished message. */
    private long kept;

    private long unsent;

    Held(AtomicLong all) {
      this.all = all;
    }

    /** Adds the change to the sum of all sockets; returns false if the sum is too large. */
    private boolean fits() {
      var now = Math.max(0, raw) + kept + unsent;
      var sum = all.addAndGet(now - told);
      told = now;
      return sum <= ALL_AT_MOST;
    }

    private void gone() {
      raw = 0;
      kept = 0;
      unsent = 0;
      var _ = fits();
    }
  }

  private static void end(ChannelHandlerContext context, WebSocketCloseStatus why) {
    context
        .channel()
        .writeAndFlush(new CloseWebSocketFrame(why))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Counts the bytes received once the connection is a WebSocket, before they are decoded. */
  static final class Bytes extends ChannelInboundHandlerAdapter {
    private final Held held;
    private boolean isSocket;
    private boolean ended;

    Bytes(Held held) {
      this.held = held;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
      isSocket = isSocket || context.pipeline().get(WebSocketFrameDecoder.class) != null;
      if (ended) {
        ReferenceCountUtil.release(read);
        return;
      }
      if (isSocket && read instanceof ByteBuf bytes) {
        held.raw += bytes.readableBytes();
        if (!held.fits()) {
          ended = true;
          ReferenceCountUtil.release(read);
          end(context, WebSocketCloseStatus.TRY_AGAIN_LATER);
          return;
        }
      }
      context.fireChannelRead(read);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      ended = true;
      held.gone();
      context.fireChannelInactive();
    }
  }

  /** Counts the bytes of the message being received, and those that the client has not read yet. */
  static final class Frames extends ChannelDuplexHandler {
    private static final int MASK = 4;

    private final Held held;
    private long come;

    Frames(Held held) {
      this.held = held;
    }

    /**
     * Replies to a close frame with the same code (RFC 6455, 5.5.1), after the chat has handled it.
     */
    private static void answerClose(ChannelHandlerContext context, CloseWebSocketFrame close) {
      var code = close.statusCode();
      context.fireChannelRead(close);
      if (context.channel().isActive()) {
        context
            .writeAndFlush(code < 0 ? new CloseWebSocketFrame() : new CloseWebSocketFrame(code, ""))
            .addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
      if (!(read instanceof WebSocketFrame frame)) {
        context.fireChannelRead(read);
        return;
      }
      held.raw -= sizeOf(frame.content().readableBytes());
      if (frame instanceof CloseWebSocketFrame close) {
        answerClose(context, close);
      } else if (isPart(frame)) {
        part(context, frame);
      } else {
        context.fireChannelRead(frame);
      }
      var _ = held.fits();
    }

    /** Returns the size of a whole frame from a client (RFC 6455, 5.2). */
    private static int sizeOf(int payload) {
      var length = payload < 126 ? 0 : payload <= 0xFFFF ? Short.BYTES : Long.BYTES;
      return 2 + length + MASK + payload;
    }

    private void part(ChannelHandlerContext context, WebSocketFrame frame) {
      var size = frame.content().readableBytes();
      come = frame instanceof ContinuationWebSocketFrame ? come + size : size;
      if (come > LONGEST) {
        ReferenceCountUtil.release(frame);
        end(context, WebSocketCloseStatus.MESSAGE_TOO_BIG);
        return;
      }
      var last = frame.isFinalFragment();
      if (come > KEPT_AT_MOST && frame instanceof ContinuationWebSocketFrame) {
        ReferenceCountUtil.release(frame);
        held.kept = last ? 0 : held.kept;
        context.fireChannelRead(new ContinuationWebSocketFrame(last, 0, Unpooled.EMPTY_BUFFER));
        return;
      }
      held.kept = last ? 0 : come;
      context.fireChannelRead(frame);
    }

    private static boolean isPart(WebSocketFrame frame) {
      return !(frame instanceof PingWebSocketFrame
          || frame instanceof PongWebSocketFrame
          || frame instanceof CloseWebSocketFrame);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (!(message instanceof WebSocketFrame frame) || message instanceof CloseWebSocketFrame) {
        var _ = context.write(message, promise);
        return;
      }
      long size = frame.content().readableBytes();
      held.unsent += size;
      if (!held.fits() || held.unsent > UNSENT_AT_MOST) {
        held.unsent -= size;
        var _ = held.fits();
        ReferenceCountUtil.release(frame);
        promise.tryFailure(new IllegalStateException("The client does not read."));
        var _ = context.close();
        return;
      }
      var _ =
          context.write(
              frame,
              promise
                  .unvoid()
                  .addListener(sent -> {
                    held.unsent = Math.max(0, held.unsent - size);
                    var _ = held.fits();
                  }));
    }
  }
}
