package org.habitline.ops.http;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Adds handlers to every server channel with one of these roles.
 *
 * @param handlers called with the pipeline of each channel, once the server's own handlers are in
 *     it
 */
record ConnectionCustomizer(
    Set<NettyServerCustomizer.ChannelRole> roles, Consumer<ChannelPipeline> handlers)
    implements NettyServerCustomizer {

  /** Registers this with a server that is being built. */
  NettyServerCustomizer.Registry register(BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    var registry = event.getBean();
    registry.register(this);
    return registry;
  }

  @Override
  public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
    return roles.contains(role) ? new OfOne(channel.pipeline(), handlers) : this;
  }

  private record OfOne(ChannelPipeline pipeline, Consumer<ChannelPipeline> handlers)
      implements NettyServerCustomizer {

    @Override
    public void onStreamPipelineBuilt() {
      handlers.accept(pipeline);
    }
  }
}
