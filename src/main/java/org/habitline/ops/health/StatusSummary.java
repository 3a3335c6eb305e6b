package org.habitline.ops.health;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.ops.database.FreeSpace;
import org.habitline.staff.today.ServiceHealth;
import org.habitline.staff.web.Times;
import org.habitline.tools.OutsideTools;

/** Summarises health and alerts for the staff pages. */
@Singleton
final class StatusSummary implements ServiceHealth {

  /** The name of the sign that shows whether sending is stopped. */
  static final String SENDING = "Sending";

  private final Backlog backlog;
  private final Alerts alerts;
  private final ModelFailures failures;
  private final RefusedCalls refusedCalls;
  private final ProviderClock providerClock;
  private final LanguageModel model;
  private final Channels channels;
  private final FlowCatalog flows;
  private final OutsideTools outsideTools;
  private final SendingStop sending;
  private final SafetyWatch safety;
  private final BudgetWatch budgets;
  private final FreeSpace space;

  StatusSummary(
      Backlog backlog,
      Alerts alerts,
      ModelFailures failures,
      RefusedCalls refusedCalls,
      ProviderClock providerClock,
      LanguageModel model,
      Channels channels,
      FlowCatalog flows,
      OutsideTools outsideTools,
      SendingStop sending,
      SafetyWatch safety,
      BudgetWatch budgets,
      FreeSpace space) {
    this.backlog = backlog;
    this.alerts = alerts;
    this.failures = failures;
    this.refusedCalls = refusedCalls;
    this.providerClock = providerClock;
    this.model = model;
    this.channels = channels;
    this.flows = flows;
    this.outsideTools = outsideTools;
    this.sending = sending;
    this.safety = safety;
    this.budgets = budgets;
    this.space = space;
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
    space.bytes().filter(free -> free < FreeSpace.LITTLE).ifPresent(free -> signs.add(disk(free)));
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
    outsideTools.warnings().forEach(warning -> signs.add(new Sign("Tools", true, warning)));
    return List.copyOf(signs);
  }

  private static Sign disk(long free) {
    return new Sign(
        "Disk",
        true,
        "Only "
            + (free >> 20)
            + " MB are free on the disk of the data folder. When it is full, nothing is acknowledged or sent until"
            + " there is room again. Free some space or enlarge the disk.");
  }

  /** Any public address gets a few unsigned calls, so only many of them count as wrong. */
  private Sign webhook(int refused) {
    return new Sign(
        "Webhook",
        alerts.raised().contains(Alert.REFUSED_CALLS),
        (refused == 1 ? "1 call was" : refused + " calls were")
            + " refused in the last hour: not signed with the account's token. If the provider made them, texts from"
            + " participants do not arrive. Check TWILIO_AUTH_TOKEN, and that HABITLINE_PUBLIC_URL is the address that"
            + " Twilio calls.");
  }

  private Sign notOurs(int refused) {
    return new Sign(
        "Webhook",
        alerts.raised().contains(Alert.NOT_OURS),
        (refused == 1 ? "1 call was" : refused + " calls were")
            + " refused in the last hour: for another account or phone number. Compare TWILIO_ACCOUNT_SID and the phone"
            + " numbers in the settings with the webhooks that are set at Twilio.");
  }

  private static Sign clock(Duration ahead) {
    return new Sign(
        "Clock",
        true,
        "This machine's clock is "
            + Times.inOneUnit(ahead.abs())
            + (ahead.isNegative() ? " ahead of" : " behind")
            + " the provider's. Daily prompts are sent early or late. Synchronise the clock"
            + " with NTP.");
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
                    + ". Participants received the flow's fallback message instead."))
        .orElseGet(() ->
            new Sign(
                "Model",
                false,
                model.rehearsal()
                    ? "No model is configured. The built-in script writes the replies."
                    : model.describe() + ". It gave an answer in every recent turn."));
  }

  private List<Sign> seen(Backlog.Seen seen) {
    var signs = new ArrayList<Sign>();
    safety
        .findings()
        .forEach(it ->
            signs.add(new Sign("Safety", it.urgent() ? Level.URGENT : Level.WRONG, it.sentence())));
    budgets.warnings().forEach(warning -> signs.add(new Sign("Budget", true, warning)));
    var unalerted = safety.usesRealChannels() ? Level.WRONG : Level.MISSING;
    safety.notes().forEach(note -> signs.add(new Sign("Safety", unalerted, note)));
    // Read now, to agree with the banner of the page, which may be newer than the reading.
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
                    "The provider has accepted no messages by "
                        + sender.channel().title()
                        + " for "
                        + Times.inOneUnit(seen.since(sender.since()))
                        + ": error "
                        + channels.explained(sender.channel(), sender.code())
                        + ". All of them are waiting.")));
    signs.add(
        seen.inbox(InputKind.SAID)
            .map(queue ->
                new Sign(
                    "Texts waiting for a reply",
                    seen.age(queue).compareTo(Alerts.UNANSWERED_AFTER) > 0,
                    waiting(queue, seen)))
            .orElseGet(() -> new Sign("Texts waiting for a reply", false, "None.")));
    signs.add(unsent(seen));
    signs.add(
        new Sign(
            "Jobs",
            seen.wakeups().by().compareTo(Alerts.LATE_AFTER) > 0,
            seen.wakeups().count() == 0
                ? "No delayed jobs."
                : seen.wakeups().count()
                    + (seen.wakeups().count() == 1
                        ? " delayed job, by "
                        : " delayed jobs, the first by ")
                    + Times.inOneUnit(seen.wakeups().by())
                    + "."));
    locks(seen).ifPresent(signs::add);
    if (seen.strays() > 0) {
      signs.add(
          new Sign(
              "Stray messages",
              true,
              (seen.strays() == 1 ? "1 message was" : seen.strays() + " messages were")
                  + " sent twice in the last 24 hours, or sent after being withdrawn, because the sending process"
                  + " had been suspended. The participants' deliveries show which."));
    }
    return signs;
  }

  private static Optional<Sign> locks(Backlog.Seen seen) {
    if (seen.locks().isEmpty()) {
      return Optional.of(
          new Sign(
              "Database locks",
              false,
              "Not known now: the database does not report what waits for a lock."));
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
      return "All sending is stopped. Messages wait.";
    }
    return seen.stopped().isEmpty()
        ? "Sending is on."
        : "Sending is on, but the provider accepts no messages by "
            + seen.stopped().stream()
                .map(sender -> sender.channel().title())
                .collect(Collectors.joining(" and by "))
            + ".";
  }

  private static Sign unsent(Backlog.Seen seen) {
    return new Sign(
        "Messages to send",
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
        + (queue.count() == 1 ? " waiting for " : " waiting, the oldest for ")
        + Times.inOneUnit(seen.age(queue))
        + ".";
  }
}
