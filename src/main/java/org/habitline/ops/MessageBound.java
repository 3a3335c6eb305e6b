package org.habitline.ops;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import jakarta.inject.Singleton;

/**
 * Ends a WebSocket on which one message grows too long (RFC 6455, close code 1009): the server
 * bounds a frame, and gathers any number of them into a message.
 */
@Singleton
final class MessageBound implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {

  /** Of a message in bytes, over all of its frames. */
  private static final int LONGEST = 1024 * 1024;

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    var registry = event.getBean();
    registry.register(new Everywhere());
    return registry;
  }

  /** For the server as a whole. */
  private static final class Everywhere implements NettyServerCustomizer {

    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
      return switch (role) {
        case CONNECTION, REQUEST_STREAM -> new OnConnection(channel);
        case LISTENER, PUSH_PROMISE_STREAM -> this;
      };
    }
  }

  /** For one connection, before what handles its requests. */
  private record OnConnection(Channel channel) implements NettyServerCustomizer {

    @Override
    public void onStreamPipelineBuilt() {
      channel
          .pipeline()
          .addBefore(
              ChannelPipelineCustomizer.HANDLER_MICRONAUT_INBOUND,
              MessageBound.class.getSimpleName(),
              new Bound());
    }
  }

  /** Counts what came of the message that is being sent. */
  private static final class Bound extends ChannelInboundHandlerAdapter {
    private long come;

    /** A close is answered with the same (RFC 6455, 5.5.1), once the chat has heard of it. */
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
      if (read instanceof CloseWebSocketFrame close) {
        answerClose(context, close);
        return;
      }
      if (read instanceof WebSocketFrame frame && isPart(frame)) {
        come = frame instanceof ContinuationWebSocketFrame ? come : 0;
        come += frame.content().readableBytes();
        if (come > LONGEST) {
          ReferenceCountUtil.release(read);
          context
              .writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.MESSAGE_TOO_BIG))
              .addListener(ChannelFutureListener.CLOSE);
          return;
        }
      }
      context.fireChannelRead(read);
    }

    private static boolean isPart(WebSocketFrame frame) {
      return !(frame instanceof PingWebSocketFrame
          || frame instanceof PongWebSocketFrame
          || frame instanceof CloseWebSocketFrame);
    }
  }
}
