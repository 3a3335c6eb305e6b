package org.habitline.staff.people;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Tags;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Adds and removes tags of participants, with an audit entry for each change. */
@Singleton
public final class TagDesk {

  private final Tags tags;
  private final EnrolmentDesk desk;
  private final AuditLog audit;
  private final Transactions transactions;

  TagDesk(Tags tags, EnrolmentDesk desk, AuditLog audit, Transactions transactions) {
    this.tags = tags;
    this.desk = desk;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * Adds a tag, unless the participant has it already, and returns all their tags.
   *
   * @throws ApiProblem 400 for a tag that is not accepted, 404 if there is no such participant, 409
   *     if they or the study have too many tags
   */
  public List<String> add(Actor actor, String id, @Nullable String said) {
    var tag = read(said);
    return transactions.write(() -> {
      desk.held(id);
      switch (tags.add(id, tag)) {
        case ADDED ->
            audit.record(
                AuditEntry.of(actor.name(), actor.role(), AuditAction.TAG_ADDED)
                    .to(id)
                    .changed(null, tag));
        case HAD_IT -> {
          // Nothing changes.
        }
        case TOO_MANY_OF_ONE ->
            throw ApiProblem.conflict(
                "The participant has "
                    + Tags.MOST_OF_ONE
                    + " tags already; remove one before you add another.");
        case TOO_MANY_OF_STUDY ->
            throw ApiProblem.conflict(
                "Participants have "
                    + Tags.MOST_OF_STUDY
                    + " different tags already; use one of these, or remove one from everyone.");
      }
      return tags.of(id);
    });
  }

  /**
   * Removes a tag, if the participant has it, and returns those that are left.
   *
   * @throws ApiProblem 400 for a tag that is not accepted, 404 if there is no such participant
   */
  public List<String> remove(Actor actor, String id, @Nullable String said) {
    var tag = read(said);
    return transactions.write(() -> {
      desk.held(id);
      if (tags.remove(id, tag)) {
        audit.record(
            AuditEntry.of(actor.name(), actor.role(), AuditAction.TAG_REMOVED)
                .to(id)
                .changed(tag, null));
      }
      return tags.of(id);
    });
  }

  /**
   * Returns a tag as it is stored.
   *
   * @throws ApiProblem 400 for a tag that is not accepted
   */
  static String read(@Nullable String said) {
    return Tags.read(said == null ? "" : said)
        .orElseThrow(() -> ApiProblem.bad("tag: expected " + Tags.ACCEPTED + "."));
  }
}
