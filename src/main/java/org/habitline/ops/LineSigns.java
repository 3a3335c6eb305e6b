package org.habitline.ops;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.SendingStop;
import org.habitline.messaging.Waiting;
import org.habitline.staff.LineHealth;

/** Tells the pages of staff what health and alerts know. */
@Singleton
final class LineSigns implements LineHealth {

  private final Backlog backlog;
  private final Alerts alerts;
  private final ModelFailures failures;
  private final LanguageModel model;
  private final Channels channels;
  private final FlowCatalog flows;
  private final SendingStop sending;

  LineSigns(
      Backlog backlog,
      Alerts alerts,
      ModelFailures failures,
      LanguageModel model,
      Channels channels,
      FlowCatalog flows,
      SendingStop sending) {
    this.backlog = backlog;
    this.alerts = alerts;
    this.failures = failures;
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
                        "It cannot be read: nobody is answered and nothing is sent.")));
    if (alerts.raised().contains(Alert.REFUSED_CALLS)) {
      signs.add(
          new Sign(
              "Webhook",
              true,
              "Calls that are not signed with the account's token are refused: if they are the provider's, no text"
                  + " of a participant comes in."));
    }
    flows.warnings().forEach(warning -> signs.add(new Sign("Flow", true, warning)));
    return List.copyOf(signs);
  }

  private Sign model() {
    var failed = failures.lately();
    return failed == 0
        ? new Sign(
            "Model",
            false,
            model.rehearsal()
                ? "None is configured; the built-in script answers."
                : model.describe() + "; no turn failed for want of an answer of late.")
        : new Sign(
            "Model",
            true,
            model.describe()
                + " gave no usable answer in "
                + failed
                + (failed == 1 ? " turn" : " turns")
                + " of the last "
                + ModelFailures.REMEMBERED.toMinutes()
                + " minutes; the flow's own text went out instead.");
  }

  private List<Sign> seen(Backlog.Seen seen) {
    var signs = new ArrayList<Sign>();
    // What the page says above it, and not what was seen some seconds ago.
    var stopped = sending.inForce().isPresent();
    signs.add(
        new Sign(
            "Sending",
            stopped,
            stopped ? "All sending is stopped: what the line says waits." : "Texts may leave."));
    if (seen.stopped().isEmpty()) {
      signs.add(new Sign("Provider", false, "Texts are taken (" + channels.describe() + ")."));
    }
    seen.stopped()
        .forEach(sender ->
            signs.add(
                new Sign(
                    "Provider",
                    true,
                    "Takes no texts by "
                        + sender.channel()
                        + " for "
                        + words(seen.since(sender.since()))
                        + ": its error "
                        + channels.explained(sender.channel(), sender.code())
                        + ". All of them wait.")));
    signs.add(
        seen.inbox("said")
            .map(queue ->
                new Sign(
                    "Texts to answer",
                    seen.age(queue).compareTo(Alerts.UNANSWERED_AFTER) > 0,
                    waiting(queue, seen)))
            .orElseGet(() -> new Sign("Texts to answer", false, "None waits.")));
    signs.add(unsent(seen));
    signs.add(
        new Sign(
            "Wake-ups",
            seen.wakeups().by().compareTo(Alerts.LATE_AFTER) > 0,
            seen.wakeups().count() == 0
                ? "None is late."
                : seen.wakeups().count()
                    + " are due, the first for "
                    + words(seen.wakeups().by())
                    + "."));
    return signs;
  }

  private static Sign unsent(Backlog.Seen seen) {
    return new Sign(
        "Texts to send",
        !seen.sendingStopped()
            && seen.outbox().stream()
                .anyMatch(queue -> seen.since(queue.due()).compareTo(Alerts.UNSENT_AFTER) > 0),
        seen.outbox().isEmpty()
            ? "None waits."
            : seen.outbox().stream()
                .map(queue -> "by " + queue.what() + ": " + waiting(queue, seen))
                .collect(Collectors.joining(" ")));
  }

  private static String waiting(Waiting queue, Backlog.Seen seen) {
    return queue.count()
        + (queue.count() >= Waiting.COUNTED ? " or more" : "")
        + (queue.count() == 1 ? " waits, for " : " wait, the oldest for ")
        + words(seen.age(queue))
        + ".";
  }

  private static String words(Duration time) {
    if (time.compareTo(Duration.ofMinutes(2)) < 0) {
      return time.toSeconds() + " s";
    }
    return time.compareTo(Duration.ofHours(3)) < 0
        ? time.toMinutes() + " min"
        : time.toHours() + " h";
  }
}
