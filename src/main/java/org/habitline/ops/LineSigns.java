package org.habitline.ops;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.InputKind;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.SendingStop;
import org.habitline.messaging.Waiting;
import org.habitline.staff.LineHealth;
import org.habitline.staff.Times;

/** Tells the pages of staff what health and alerts know. */
@Singleton
final class LineSigns implements LineHealth {

  /** The sign that a stop of all sending turns. */
  static final String SENDING = "Sending";

  private final Backlog backlog;
  private final Alerts alerts;
  private final ModelFailures failures;
  private final RefusedCalls refusedCalls;
  private final ProviderClock providerClock;
  private final LanguageModel model;
  private final Channels channels;
  private final FlowCatalog flows;
  private final SendingStop sending;

  LineSigns(
      Backlog backlog,
      Alerts alerts,
      ModelFailures failures,
      RefusedCalls refusedCalls,
      ProviderClock providerClock,
      LanguageModel model,
      Channels channels,
      FlowCatalog flows,
      SendingStop sending) {
    this.backlog = backlog;
    this.alerts = alerts;
    this.failures = failures;
    this.refusedCalls = refusedCalls;
    this.providerClock = providerClock;
    this.model = model;
    this.channels = channels;
    this.flows = flows;
    this.sending = sending;
  }

  @Override
  public boolean modelFails() {
    return failures.lately() > 0;
  }

  @Override
  public List<Sign> signs() {
    var signs = new ArrayList<Sign>();
    signs.add(model());
    backlog
        .seen()
        .ifPresentOrElse(
            seen -> signs.addAll(seen(seen)),
            () ->
                signs.add(
                    new Sign(
                        "Database",
                        true,
                        "It cannot be read: participants get no replies and nothing is sent.")));
    if (refusedCalls.lately() > 0) {
      signs.add(webhook(refusedCalls.lately()));
    }
    if (refusedCalls.latelyNotOurs() > 0) {
      signs.add(notOurs(refusedCalls.latelyNotOurs()));
    }
    if (providerClock.differs()) {
      signs.add(clock(providerClock.ahead()));
    }
    flows.warnings().forEach(warning -> signs.add(new Sign("Flow", true, warning)));
    return List.copyOf(signs);
  }

  /** Somebody knocks at every open door now and then, so a few are told of and no more. */
  private Sign webhook(int refused) {
    return new Sign(
        "Webhook",
        alerts.raised().contains(Alert.REFUSED_CALLS),
        (refused == 1 ? "1 call" : refused + " calls")
            + " in the last hour not signed with the account's token, and refused. If the provider made them, no texts"
            + " from participants arrive: check TWILIO_AUTH_TOKEN, and that HABITLINE_PUBLIC_URL is the address that"
            + " Twilio calls.");
  }

  private Sign notOurs(int refused) {
    return new Sign(
        "Webhook",
        alerts.raised().contains(Alert.NOT_OURS),
        (refused == 1 ? "1 call" : refused + " calls")
            + " in the last hour for another account or number than this line's, and refused. Compare"
            + " TWILIO_ACCOUNT_SID and the numbers in the settings with the webhooks that are set at Twilio.");
  }

  private static Sign clock(Duration ahead) {
    return new Sign(
        "Clock",
        true,
        "This machine's clock is "
            + Times.inOneUnit(ahead.abs())
            + (ahead.isNegative() ? " ahead of" : " behind")
            + " the provider's. Prompts come early or late. Set the clock by NTP.");
  }

  private Sign model() {
    return failures
        .told()
        .map(told ->
            new Sign(
                "Model",
                true,
                model.describe()
                    + " gave "
                    + told
                    + "; participants got the flow's own text instead."))
        .orElseGet(() ->
            new Sign(
                "Model",
                false,
                model.rehearsal()
                    ? "None is configured; the built-in script answers."
                    : model.describe() + "; it has answered every turn lately."));
  }

  private List<Sign> seen(Backlog.Seen seen) {
    var signs = new ArrayList<Sign>();
    // What the page says above it, and not what was seen some seconds ago.
    var stopped = sending.inForce().isPresent();
    signs.add(new Sign(SENDING, stopped, sending(stopped, seen)));
    if (seen.stopped().isEmpty()) {
      signs.add(new Sign("Provider", false, "No sender is stopped (" + channels.describe() + ")."));
    }
    seen.stopped()
        .forEach(sender ->
            signs.add(
                new Sign(
                    "Provider",
                    true,
                    "Has accepted no texts by "
                        + sender.channel().word()
                        + " for "
                        + Times.inOneUnit(seen.since(sender.since()))
                        + ": error "
                        + channels.explained(sender.channel(), sender.code())
                        + ". They all wait.")));
    signs.add(
        seen.inbox(InputKind.SAID)
            .map(queue ->
                new Sign(
                    "Texts to answer",
                    seen.age(queue).compareTo(Alerts.UNANSWERED_AFTER) > 0,
                    waiting(queue, seen)))
            .orElseGet(() -> new Sign("Texts to answer", false, "None.")));
    signs.add(unsent(seen));
    signs.add(
        new Sign(
            "Wake-ups",
            seen.wakeups().by().compareTo(Alerts.LATE_AFTER) > 0,
            seen.wakeups().count() == 0
                ? "None are late."
                : seen.wakeups().count()
                    + " are late, the first by "
                    + Times.inOneUnit(seen.wakeups().by())
                    + "."));
    locks(seen).ifPresent(signs::add);
    if (seen.strays() > 0) {
      signs.add(
          new Sign(
              "Stray texts",
              true,
              (seen.strays() == 1 ? "1 text" : seen.strays() + " texts")
                  + " in the last 24 hours sent twice, or after being withdrawn, because the process that sent"
                  + " them had been suspended. The participant's deliveries show which."));
    }
    return signs;
  }

  private static Optional<Sign> locks(Backlog.Seen seen) {
    if (seen.locks().isEmpty()) {
      return Optional.of(
          new Sign("Database locks", false, "The database does not say now who waits for a lock."));
    }
    return seen.locks()
        .filter(locks -> locks.connections() > 0)
        .map(locks ->
            new Sign(
                "Database locks",
                locks.longest().compareTo(Alerts.LOCKED_FOR) > 0,
                locks.connections()
                    + (locks.connections() == 1 ? " connection waits" : " connections wait")
                    + " for a lock, the longest for "
                    + Times.inOneUnit(locks.longest())
                    + "."));
  }

  private static String sending(boolean stopped, Backlog.Seen seen) {
    if (stopped) {
      return "All sending is stopped: messages wait.";
    }
    return seen.stopped().isEmpty()
        ? "Sending is on."
        : "Sending is on, but the provider accepts no texts by "
            + seen.stopped().stream()
                .map(sender -> sender.channel().word())
                .collect(Collectors.joining(" and by "))
            + ".";
  }

  private static Sign unsent(Backlog.Seen seen) {
    return new Sign(
        "Texts to send",
        !seen.sendingStopped()
            && seen.outbox().stream()
                .anyMatch(queue -> seen.since(queue.due()).compareTo(Alerts.UNSENT_AFTER) > 0),
        seen.outbox().isEmpty()
            ? "None."
            : seen.outbox().stream()
                .map(queue -> "by " + queue.what().word() + ": " + waiting(queue, seen))
                .collect(Collectors.joining(" ")));
  }

  private static String waiting(Waiting<?> queue, Backlog.Seen seen) {
    return queue.count()
        + (queue.count() >= Waiting.COUNTED ? " or more" : "")
        + (queue.count() == 1 ? " waits, for " : " wait, the oldest for ")
        + Times.inOneUnit(seen.age(queue))
        + ".";
  }
}
