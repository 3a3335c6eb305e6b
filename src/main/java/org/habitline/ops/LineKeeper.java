package org.habitline.ops;

import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.inject.Singleton;
import org.habitline.messaging.Line;

/** Opens the line when the server is up and closes it before anything else is torn down. */
@Singleton
final class LineKeeper {

  private final Line line;
  private volatile boolean open;

  LineKeeper(Line line) {
    this.line = line;
  }

  /** Whether the line answers; readiness follows it. */
  boolean open() {
    return open;
  }

  @EventListener
  void open(ServerStartupEvent event) {
    line.start();
    open = true;
  }

  @EventListener
  void close(ShutdownEvent event) {
    open = false;
    line.stop();
  }
}
