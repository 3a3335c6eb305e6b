package org.habitline.ops.http;

import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer.ChannelRole;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import jakarta.inject.Singleton;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.habitline.ops.access.LoginBrake;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections that clients hold without using: a request must be complete within a time
 * limit, its headers sooner, however slowly it arrives; and one source may hold only {@value
 * #OF_ONE_SOURCE} connections at a time, unless it is this machine or a proxy is in front. Event
 * streams and WebSockets are complete requests and may last.
 */
@Singleton
final class ConnectionBounds implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {

  /** The time from the first byte of a request to the end of its headers. */
  static final Duration HEADERS_WITHIN = Duration.ofSeconds(20);

  /** The most connections of one source at a time. */
  static final int OF_ONE_SOURCE = 256;

  private final Duration requestWithin;
  private final boolean proxied;
  private final Map<String, Integer> connections = new ConcurrentHashMap<>();

  ConnectionBounds(
      @Value("${habitline.request-timeout}") Duration requestWithin,
      @Value("${habitline.public-url:}") String publicUrl,
      @Value("${habitline.proxy-header:}") String proxyHeader) {
    this.requestWithin = requestWithin;
    this.proxied = publicUrl.startsWith("https://") || !proxyHeader.isBlank();
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    return new ConnectionCustomizer(Set.of(ChannelRole.CONNECTION), this::add).register(event);
  }

  /** Adds the handlers before and after the HTTP codec. */
  private void add(ChannelPipeline pipeline) {
    var codec = pipeline.context(HttpServerCodec.class);
    if (codec == null) {
      return;
    }
    var deadline = deadline();
    pipeline
        .addAfter(codec.name(), "request-parts", deadline.parts())
        .addFirst("request-bytes", deadline.bytes())
        .addFirst("connection-count", new Count());
  }

  Deadline deadline() {
    return new Deadline(requestWithin);
  }

  /** Counts the connections of each source and closes those over the limit. */
  final class Count extends ChannelInboundHandlerAdapter {
    private @Nullable String source;

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      if (proxied
          || !(context.channel().remoteAddress() instanceof InetSocketAddress remote)
          || remote.getAddress() == null
          || remote.getAddress().isLoopbackAddress()) {
        return;
      }
      source = LoginBrake.network(remote.getAddress().getHostAddress());
      if (connections.merge(source, 1, Integer::sum) > OF_ONE_SOURCE) {
        var _ = context.close();
      }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
      leave();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      leave();
      context.fireChannelInactive();
    }

    private void leave() {
      if (source != null) {
        connections.computeIfPresent(source, (it, count) -> count == 1 ? null : count - 1);
        source = null;
      }
    }
  }

  /** The time limit of one request. Not thread-safe: used only by the connection's own thread. */
  static final class Deadline {
    private final Duration requestWithin;
    private final Duration headersWithin;
    private boolean begun;
    private @Nullable Future<?> cut;

    Deadline(Duration requestWithin) {
      this.requestWithin = requestWithin;
      this.headersWithin =
          requestWithin.compareTo(HEADERS_WITHIN) < 0 ? requestWithin : HEADERS_WITHIN;
    }

    /** Returns the handler to add before the codec. */
    ChannelInboundHandlerAdapter bytes() {
      return new Bytes();
    }

    /** Returns the handler to add after the codec. */
    ChannelInboundHandlerAdapter parts() {
      return new Parts();
    }

    private void begin(ChannelHandlerContext context) {
      if (!begun && isHttp(context)) {
        begun = true;
        within(context, headersWithin);
      }
    }

    private void within(ChannelHandlerContext context, Duration time) {
      end();
      cut =
          context
              .executor()
              .schedule(
                  () -> {
                    if (isHttp(context)) {
                      var _ = context.close();
                    }
                  },
                  time.toMillis(),
                  TimeUnit.MILLISECONDS);
    }

    private void end() {
      if (cut != null) {
        cut.cancel(false);
        cut = null;
      }
    }

    /** Returns whether the connection still carries HTTP; a WebSocket has no requests. */
    private static boolean isHttp(ChannelHandlerContext context) {
      return context.pipeline().get(HttpServerCodec.class) != null;
    }

    /** Starts the time at the first byte. */
    private final class Bytes extends ChannelInboundHandlerAdapter {

      @Override
      public void channelActive(ChannelHandlerContext context) {
        begin(context);
        context.fireChannelActive();
      }

      @Override
      public void channelRead(ChannelHandlerContext context, Object read) {
        if (!context.channel().isActive()) {
          ReferenceCountUtil.release(read);
          return;
        }
        begin(context);
        context.fireChannelRead(read);
      }

      @Override
      public void channelInactive(ChannelHandlerContext context) {
        end();
        context.fireChannelInactive();
      }
    }

    /** Extends the time at the end of the headers, and ends it with the request. */
    private final class Parts extends ChannelInboundHandlerAdapter {

      @Override
      public void channelRead(ChannelHandlerContext context, Object read) {
        if (read instanceof HttpRequest) {
          within(context, requestWithin);
        }
        if (read instanceof LastHttpContent) {
          end();
          begun = false;
        }
        context.fireChannelRead(read);
      }
    }
  }
}
