package org.habitline.staff.today;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Lets staff take rows of Today and give them back, for the page and the REST API. */
@Singleton
final class OwnerDesk {

  private static final Pattern UNMATCHED = Pattern.compile("unclaimed-(\\d{1,18})");

  private final Worklist worklist;
  private final WorkOwners owners;
  private final Unclaimed unclaimed;
  private final Participants participants;
  private final AuditLog audit;
  private final Events events;
  private final Transactions transactions;

  OwnerDesk(
      Worklist worklist,
      WorkOwners owners,
      Unclaimed unclaimed,
      Participants participants,
      AuditLog audit,
      Events events,
      Transactions transactions) {
    this.worklist = worklist;
    this.owners = owners;
    this.unclaimed = unclaimed;
    this.participants = participants;
    this.audit = audit;
    this.events = events;
    this.transactions = transactions;
  }

  /** Returns the key of the row of an unmatched text. */
  static String key(Unclaimed.Text text) {
    return "unclaimed-" + text.seq();
  }

  /** Returns who is on the rows of unmatched texts, by key. */
  Map<String, WorkOwners.Owner> ofTexts(List<Unclaimed.Text> texts) {
    return owners.of(texts.stream().map(OwnerDesk::key).toList());
  }

  /**
   * Finds a row that needs staff. Some lists are long, so this is done outside of transactions that
   * write.
   */
  private Optional<Row> row(String key) {
    var text = UNMATCHED.matcher(key);
    if (text.matches()) {
      return unclaimed
          .find(Long.parseLong(text.group(1)))
          .filter(it -> it.status() == Unclaimed.Status.WAITING)
          .map(it -> new Row(null, () -> Optional.ofNullable(owners.of(List.of(key)).get(key))));
    }
    return TodayPage.Section.of(key.substring(0, Math.max(0, key.indexOf('-'))))
        .filter(TodayPage.WORK::contains)
        .flatMap(section -> worklist.find(section, key, Waiting.COUNTED))
        .map(it -> new Row(it.participantId(), it.owner()));
  }

  /**
   * A row that needs staff.
   *
   * @param owner asks who is on it now
   */
  private record Row(@Nullable String participantId, Supplier<Optional<WorkOwners.Owner>> owner) {}

  /**
   * Records that the actor is on a row. Nothing changes if they are already.
   *
   * @param from the colleague who is on it, from whom the actor takes it, or blank
   * @throws ApiProblem 404 if no list has such a row any more, 409 if somebody else is on it
   */
  void take(Actor actor, String key, @Nullable String from) {
    var row =
        row(key)
            .orElseThrow(() ->
                ApiProblem.notFound("This row is no longer on Today, because it is resolved."));
    transactions.write(() -> {
      refuseLeaving(row.participantId());
      var before = row.owner().get().map(WorkOwners.Owner::name).orElse(null);
      if (actor.name().equals(before)) {
        return;
      }
      if (before != null && !before.equals(from)) {
        throw taken(before);
      }
      if (before != null) {
        owners.giveBack(key, before);
      } else {
        owners.forget(key);
      }
      if (!owners.take(key, row.participantId(), actor.name())) {
        throw taken("A colleague");
      }
      written(actor, AuditAction.ROW_TAKEN, key, row.participantId(), before, actor.name());
    });
  }

  /** An erasure that is committing leaves no owner behind. */
  private void refuseLeaving(@Nullable String participantId) {
    if (participantId != null) {
      participants.hold(participantId);
      if (participants.findWithContacts(participantId).isEmpty()) {
        throw ApiProblem.notFound("The participant of this row is being erased.");
      }
    }
  }

  private static ApiProblem taken(String by) {
    return ApiProblem.conflict(
        by
            + " is on this. To take it from them, use Take it beside the row, or name them in from.");
  }

  /**
   * Records that the actor is not on a row any more.
   *
   * @throws ApiProblem 404 if no list has such a row any more, 409 if they are not on it
   */
  void giveBack(Actor actor, String key) {
    if (!givenBack(actor, key)) {
      throw row(key).isEmpty()
          ? ApiProblem.notFound("This row is no longer on Today.")
          : ApiProblem.conflict("You have not taken this row.");
    }
  }

  private boolean givenBack(Actor actor, String key) {
    // PostgreSQL refuses a NUL character in a query.
    if (key.indexOf('\0') >= 0) {
      return false;
    }
    return transactions.write(() -> {
      var before = owners.of(List.of(key)).get(key);
      if (before == null || !owners.giveBack(key, actor.name())) {
        return false;
      }
      written(actor, AuditAction.ROW_GIVEN_BACK, key, before.participantId(), actor.name(), null);
      return true;
    });
  }

  private void written(
      Actor actor,
      AuditAction act,
      String key,
      @Nullable String participantId,
      @Nullable String before,
      @Nullable String after) {
    var entry = AuditEntry.of(actor.name(), actor.role(), act).about(key).changed(before, after);
    audit.record(participantId == null ? entry : entry.to(participantId));
    events.emit("participant.changed", participantId, Map.of("what", "owner"));
  }
}
