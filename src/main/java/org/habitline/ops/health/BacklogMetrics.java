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
        .description("1 while this process accepts texts and replies")
        .register(registry);
    FunctionCounter.builder("habitline.webhook.refusals", refusedCalls, RefusedCalls::count)
        .description("Webhook calls that were not signed with the account's token")
        .register(registry);
    FunctionCounter.builder("habitline.webhook.not.ours", refusedCalls, RefusedCalls::countNotOurs)
        .description("Webhook calls that were signed, but for another account or number")
        .register(registry);
    FunctionCounter.builder("habitline.list.failures", lists, ProviderLists::passedOver)
        .description(
            "Messages, prices and template categories in Twilio's lists that could not be read"
                + " or stored")
        .register(registry);
    for (var door : RefusedEntries.Door.values()) {
      FunctionCounter.builder("habitline.entry.refusals", refusedEntries, it -> it.count(door))
          .description(
              "Wrong keys, wrong chat tokens and failed sign-ins, including those over the limit")
          .tag("door", door.word())
          .register(registry);
    }
    for (var alert : Alert.values()) {
      Gauge.builder("habitline.alert", alerts, it -> it.raised().contains(alert) ? 1 : 0)
          .description("1 while the alert is active; the log says what to do")
          .tag("alert", alert.word())
          .register(registry);
    }
    Arrays.asList(InputKind.values()).forEach(this::inbox);
    Arrays.stream(ChannelKind.values()).forEach(this::outbox);
    gauge(
        "habitline.wakeups.late",
        "Wake-ups that are due and have not run",
        seen -> seen.wakeups().count());
    gauge(
        "habitline.wakeups.late.by.seconds",
        "How late the longest overdue wake-up is, in seconds",
        seen -> seconds(seen.wakeups().by()));
    gauge(
        "habitline.occurrences.missed",
        "Daily prompts of the last 24 hours that were not sent in time",
        Backlog.Seen::missed);
    gauge(
        "habitline.unclaimed",
        "Texts from unknown senders that staff have not matched, enrolled or dismissed",
        Backlog.Seen::unclaimed);
    gauge(
        "habitline.stray.texts",
        "Messages of the last 24 hours that were sent twice, or after they were withdrawn",
        Backlog.Seen::strays);
    gauge(
        "habitline.lock.waits",
        "Database connections of all nodes that wait for a lock",
        seen -> seen.locks().map(it -> (double) it.connections()).orElse(Double.NaN));
    gauge(
        "habitline.lock.waits.longest.seconds",
        "How long the longest-waiting connection has waited for a lock, in seconds",
        seen -> seen.locks().map(it -> seconds(it.longest())).orElse(Double.NaN));
    gauge(
        "habitline.sending.stopped",
        "1 while staff have stopped all sending",
        seen -> seen.sendingStopped() ? 1 : 0);
  }

  private void inbox(InputKind kind) {
    gauge(
        "habitline.inbox.waiting",
        "Inputs that wait for a turn",
        seen -> count(seen.inbox(kind)),
        "kind",
        kind.word());
    gauge(
        "habitline.inbox.oldest.seconds",
        "How long the oldest input has waited for a turn, in seconds",
        seen -> age(seen, seen.inbox(kind)),
        "kind",
        kind.word());
  }

  private void outbox(ChannelKind kind) {
    var channel = kind.word();
    gauge(
        "habitline.outbox.waiting",
        "Messages that are still to be sent or are being looked up",
        seen -> count(seen.outbox(kind)),
        "channel",
        channel);
    gauge(
        "habitline.outbox.oldest.seconds",
        "How long the oldest message has waited to be sent, in seconds, including planned delays",
        seen -> age(seen, seen.outbox(kind)),
        "channel",
        channel);
    gauge(
        "habitline.sender.stopped",
        "1 while the provider refuses messages from the sender",
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
