package org.habitline.staff.bulk;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.staff.participant.TakeoverDesk;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.people.TagDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.BackgroundWork;
import org.habitline.storage.Database;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out confirmed bulk actions in the background, participant by participant in their order,
 * once the time in which they can be undone is over. What is done for a participant and its row are
 * one transaction, so after a crash, on this node or another, the next participant follows and
 * nothing is repeated or left out. A message is only planned here; the outbox sends it.
 */
@Singleton
public final class BulkRun {

  private static final Logger log = LoggerFactory.getLogger(BulkRun.class);

  /** How long an unconfirmed preview is kept; no one reads one for longer. */
  private static final Duration PREVIEWS_KEPT = Duration.ofHours(2);

  /** How long the words stay with an action that has ended; the transcripts keep them. */
  private static final Duration WORDS_KEPT = Duration.ofDays(1);

  /** Failed attempts after which a participant is marked as failed. */
  private static final int TRIES = 5;

  /**
   * The most messages that wait on a channel at once: daily prompts, which wait in the same order,
   * come after these few and not after all, and the rest can still be stopped.
   */
  static final int MOST_WAITING = 20;

  /** A participant of an action, by their number in it. */
  private record Place(String bulkId, int number) {}

  private final BulkChecks checks;
  private final TakeoverDesk takeovers;
  private final EnrolmentDesk desk;
  private final TagDesk tags;
  private final Participants participants;
  private final Outbox outbox;
  private final SendingHours hours;
  private final JdbcBulk rows;
  private final Transactions transactions;
  private final Clock systemClock;
  private final BackgroundWork work;

  /** How often it failed for the participants whose turn it is. */
  private final Map<Place, Integer> failures = new ConcurrentHashMap<>();

  BulkRun(
      BulkChecks checks,
      TakeoverDesk takeovers,
      EnrolmentDesk desk,
      TagDesk tags,
      Participants participants,
      Outbox outbox,
      SendingHours hours,
      JdbcBulk rows,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.checks = checks;
    this.takeovers = takeovers;
    this.desk = desk;
    this.tags = tags;
    this.participants = participants;
    this.outbox = outbox;
    this.hours = hours;
    this.rows = rows;
    this.transactions = transactions;
    this.systemClock = systemClock;
    this.work =
        new BackgroundWork(
            "bulk-actions",
            () -> transactions.read(() -> rows.due(systemClock.instant())) > 0,
            this::carryOutNext);
  }

  /**
   * Starts the background thread, which continues the actions that an earlier run left unfinished.
   */
  public void start() {
    work.start();
  }

  /**
   * Stops the background thread after the current participant, waiting up to 5 seconds; the next
   * start continues with the next one.
   */
  public void stop() {
    work.stop();
  }

  /**
   * Deletes previews that were not confirmed within two hours, and the words of actions that ended
   * a day ago.
   */
  public void forget() {
    var now = systemClock.instant();
    transactions.write(() -> {
      var _ = rows.forgetPreviews(now.minus(PREVIEWS_KEPT));
      var _ = rows.clearWords(now.minus(WORDS_KEPT));
      var _ = rows.clearWordsOfNobody();
    });
    for (var id : transactions.read(() -> rows.forgotten())) {
      InBatches.of(transactions)
          .delete(most -> rows.numbers(id, most), numbers -> rows.deleteTargets(id, numbers));
      transactions.write(() -> rows.delete(id));
    }
  }

  /** Rolls back what was done for a participant, and names their row. */
  private static final class NotDone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final BulkKind kind;
    private final transient JdbcBulk.Target target;

    private NotDone(BulkKind kind, JdbcBulk.Target target, RuntimeException cause) {
      super(cause.getClass().getName(), cause);
      this.kind = kind;
      this.target = target;
    }
  }

  /** Carries out a due action for one participant; returns whether there was anything to do. */
  boolean carryOutNext() {
    try {
      boolean found = transactions.write(() -> oneTarget());
      if (!found) {
        failures.clear();
      }
      return found;
    } catch (NotDone e) {
      return fail(e);
    }
  }

  private boolean oneTarget() {
    var now = systemClock.instant();
    var due = rows.takeDue(now);
    if (due.isEmpty()) {
      return false;
    }
    var action = due.get();
    var next = rows.next(action.id(), now);
    if (next.isEmpty()) {
      var _ =
          rows.nextAt(action.id())
              .map(until -> rows.letWait(action.id(), until))
              .orElseGet(() -> rows.finish(action.id(), now));
      return true;
    }
    var target = next.get();
    try {
      participants.hold(target.participantId());
      carryOut(action, target);
    } catch (RuntimeException e) {
      throw new NotDone(action.kind(), target, e);
    }
    return true;
  }

  private void carryOut(JdbcBulk.Row action, JdbcBulk.Target target) {
    var standings =
        checks.of(action.kind(), action.tag(), action.actor(), List.of(target.participantId()));
    var why = standings.isEmpty() ? Optional.of(BulkReason.GONE) : standings.getFirst().why();
    if (why.isPresent()) {
      decide(target, BulkTargetStatus.EXCLUDED, why.get(), null);
      return;
    }
    if (action.kind() == BulkKind.MESSAGE && waits(target, standings.getFirst())) {
      return;
    }
    var message = act(action, target.participantId());
    if (decide(target, BulkTargetStatus.DONE, null, message.orElse(null)) == 0) {
      throw new IllegalStateException(
          "Participant " + target.number() + " of " + action.id() + " was decided meanwhile");
    }
  }

  /**
   * Puts a message off that must wait, and returns whether it does: for the allowed hours of its
   * receiver, while others go on; or until fewer of its channel wait.
   */
  private boolean waits(JdbcBulk.Target target, BulkChecks.Standing receiver) {
    var now = systemClock.instant();
    var untilAllowed =
        receiver.channel().needsHours()
            ? hours.untilAllowed(receiver.participant())
            : Duration.ZERO;
    if (untilAllowed.isPositive()) {
      var _ = rows.putOff(target.bulkId(), target.number(), now.plus(untilAllowed));
      return true;
    }
    if (outbox.hasWaitingToMany(receiver.channel(), MOST_WAITING)) {
      var _ = rows.letWait(target.bulkId(), now.plus(BackgroundWork.POLL));
      return true;
    }
    return false;
  }

  /** Does it for one participant; returns the id of the message that was written, if one was. */
  private Optional<String> act(JdbcBulk.Row action, String participantId) {
    var actor = new Actor(action.actor(), action.actorRole());
    return switch (action.kind()) {
      case MESSAGE ->
          Optional.of(
              takeovers.writeToOneOfMany(
                  actor, participantId, Objects.requireNonNull(action.words())));
      case PAUSE -> change(actor, participantId, ParticipantStatus.PAUSED, action.id());
      case RESUME -> change(actor, participantId, ParticipantStatus.ACTIVE, action.id());
      case TAG -> {
        var _ = tags.add(actor, participantId, action.tag());
        yield Optional.empty();
      }
      case UNTAG -> {
        var _ = tags.remove(actor, participantId, action.tag());
        yield Optional.empty();
      }
    };
  }

  private Optional<String> change(
      Actor actor, String participantId, ParticipantStatus status, String bulkId) {
    var _ =
        desk.change(
            actor,
            participantId,
            new EnrolmentDesk.WantedChange(
                null, null, null, null, null, status.word(), "bulk action " + bulkId));
    return Optional.empty();
  }

  private int decide(
      JdbcBulk.Target target,
      BulkTargetStatus status,
      @Nullable BulkReason reason,
      @Nullable String messageId) {
    return rows.decide(
        target.bulkId(), target.number(), status, reason, messageId, systemClock.instant());
  }

  /**
   * Stores that it failed for a participant in its own transaction, because what was done has been
   * rolled back; tries a few times before, and for as long as the database is the cause.
   */
  private boolean fail(NotDone failure) {
    if (Database.isPassing(failure)) {
      throw failure;
    }
    var target = failure.target;
    var place = new Place(target.bulkId(), target.number());
    if (failures.merge(place, 1, Integer::sum) < TRIES
        && !(failure.getCause() instanceof ApiProblem)) {
      throw failure;
    }
    failures.remove(place);
    if (failure.kind == BulkKind.TAG && failure.getCause() instanceof ApiProblem) {
      // The study has the most tags by now.
      transactions.write(
          () -> decide(target, BulkTargetStatus.EXCLUDED, BulkReason.TOO_MANY_TAGS, null));
      return true;
    }
    log.error(
        "Bulk action {} failed for its participant {} and is not tried again: {}",
        target.bulkId(),
        target.number(),
        failure.getMessage());
    transactions.write(() -> decide(target, BulkTargetStatus.FAILED, BulkReason.FAULT, null));
    return true;
  }
}
