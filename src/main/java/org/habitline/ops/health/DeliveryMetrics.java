package org.habitline.ops.health;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.Map;
import org.habitline.audit.EventWatcher;
import org.habitline.audit.Events;

/**
 * Counts the deliveries' status changes, in the process that recorded them, and the inputs by kind.
 */
@Singleton
final class DeliveryMetrics implements EventWatcher {

  private static final String NONE = "none";

  private final MeterRegistry registry;

  DeliveryMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void committed(String type, Map<String, ?> payload, int times) {
    switch (type) {
      case "delivery.updated" ->
          Counter.builder("habitline.deliveries")
              .description("Status changes of outgoing messages")
              .tags("channel", word(payload, "channel"))
              .tags("status", word(payload, "status"), "code", word(payload, "code"))
              .register(registry)
              .increment(times);
      case Events.RECEIVED -> input(word(payload, "kind"), times);
      case "message.unclaimed" -> input("unclaimed", times);
      default -> {
        // Other events are not counted.
      }
    }
  }

  private void input(String kind, int times) {
    Counter.builder("habitline.inputs")
        .description("Stored inputs and unmatched texts")
        .tag("kind", kind)
        .register(registry)
        .increment(times);
  }

  private static String word(Map<String, ?> payload, String key) {
    var value = payload.get(key);
    return value == null ? NONE : value.toString();
  }
}
