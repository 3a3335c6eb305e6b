package org.habitline.ops.health;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Context;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.habitline.messaging.ProviderLists;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.ops.access.RefusedEntries;
import org.habitline.ops.start.ServiceLifecycle;
import org.habitline.participants.ChannelKind;

/** Registers gauges of the queues; a value that is unknown at the moment is NaN. */
@Context
final class BacklogMetrics {

  private final MeterRegistry registry;
  private final Backlog backlog;

  BacklogMetrics(
      MeterRegistry registry,
      Backlog backlog,
      Alerts alerts,
      ServiceLifecycle keeper,
      RefusedCalls refusedCalls,
      ProviderLists lists,
      RefusedEntries refusedEntries) {
    this.registry = registry;
    this.backlog = backlog;
    Gauge.builder("habitline.line.open", keeper, it -> it.open() ? 1 : 0)
        .description("1 while this process takes texts in and answers them")
        .register(registry);
    FunctionCounter.builder("habitline.webhook.refusals", refusedCalls, RefusedCalls::count)
        .description("Webhook calls that were not signed with the account's token")
        .register(registry);
    FunctionCounter.builder("habitline.webhook.not.ours", refusedCalls, RefusedCalls::countNotOurs)
        .description("Webhook calls that were signed, but for another account or number")
        .register(registry);
    FunctionCounter.builder("habitline.list.failures", lists, ProviderLists::passedOver)
        .description(
            "Messages, prices and categories of Twilio's lists that could not be read or stored")
        .register(registry);
    for (var door : RefusedEntries.Door.values()) {
      FunctionCounter.builder("habitline.entry.refusals", refusedEntries, it -> it.count(door))
          .description("Wrong keys, chat tokens and attempts to sign in, also braked ones")
          .tag("door", door.word())
          .register(registry);
    }
    for (var alert : Alert.values()) {
      Gauge.builder("habitline.alert", alerts, it -> it.raised().contains(alert) ? 1 : 0)
          .description("1 while an operator should act; the log says how")
          .tag("alert", alert.word())
          .register(registry);
    }
    Arrays.asList(InputKind.values()).forEach(this::inbox);
    Arrays.stream(ChannelKind.values()).forEach(this::outbox);
    gauge(
        "habitline.wakeups.late",
        "Wake-ups that are due and did not ring",
        seen -> seen.wakeups().count());
    gauge(
        "habitline.wakeups.late.by.seconds",
        "By how late the first of them is",
        seen -> seconds(seen.wakeups().by()));
    gauge(
        "habitline.occurrences.missed",
        "Daily prompts of the last 24 hours that were not sent in their time",
        Backlog.Seen::missed);
    gauge(
        "habitline.unclaimed",
        "Texts from unknown senders that nobody has decided about",
        Backlog.Seen::unclaimed);
    gauge(
        "habitline.stray.texts",
        "Texts of the last 24 hours that went out a second time, or after they were withdrawn",
        Backlog.Seen::strays);
    gauge(
        "habitline.lock.waits",
        "Connections to the database, of all nodes, that wait for a lock",
        seen -> seen.locks().map(it -> (double) it.connections()).orElse(Double.NaN));
    gauge(
        "habitline.lock.waits.longest.seconds",
        "For how long the first of them waits",
        seen -> seen.locks().map(it -> seconds(it.longest())).orElse(Double.NaN));
    gauge(
        "habitline.sending.stopped",
        "1 while staff have stopped all sending",
        seen -> seen.sendingStopped() ? 1 : 0);
  }

  private void inbox(InputKind kind) {
    gauge(
        "habitline.inbox.waiting",
        "What waits for a turn",
        seen -> count(seen.inbox(kind)),
        "kind",
        kind.word());
    gauge(
        "habitline.inbox.oldest.seconds",
        "For how long the oldest of it waits",
        seen -> age(seen, seen.inbox(kind)),
        "kind",
        kind.word());
  }

  private void outbox(ChannelKind kind) {
    var channel = kind.word();
    gauge(
        "habitline.outbox.waiting",
        "Texts that are to go out and have not come to an end",
        seen -> count(seen.outbox(kind)),
        "channel",
        channel);
    gauge(
        "habitline.outbox.oldest.seconds",
        "For how long the oldest of them waits, also on purpose",
        seen -> age(seen, seen.outbox(kind)),
        "channel",
        channel);
    gauge(
        "habitline.sender.stopped",
        "1 while the provider takes no texts from the sender",
        seen -> seen.isStopped(kind) ? 1 : 0,
        "channel",
        channel);
  }

  private static double count(Optional<? extends Waiting<?>> queue) {
    return queue.map(Waiting::count).orElse(0L);
  }

  private static double age(Backlog.Seen seen, Optional<? extends Waiting<?>> queue) {
    return queue.map(seen::age).map(BacklogMetrics::seconds).orElse(0.0);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private void gauge(
      String name, String description, ToDoubleFunction<Backlog.Seen> value, String... tags) {
    Gauge.builder(name, backlog, it -> it.seen().map(value::applyAsDouble).orElse(Double.NaN))
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
