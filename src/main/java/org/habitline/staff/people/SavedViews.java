package org.habitline.staff.people;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Keeps lists of participants that the team saved by name, for everybody who sees participants. A
 * view has filters, an order and columns, but no search words, no study id and no values of fields
 * that accept any text: it outlives the participants.
 */
@Singleton
final class SavedViews {

  private static final int LONGEST_NAME = 60;

  /** The length of the database column. */
  private static final int LONGEST = 8000;

  private static final int MOST = 50;

  private final JdbcSavedViews rows;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock systemClock;

  SavedViews(
      JdbcSavedViews rows,
      AuditLog audit,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.audit = audit;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * Saves a view.
   *
   * @param parameters of its address, encoded
   * @throws ApiProblem 400 for a name that is not accepted, 409 if a view has this name or there
   *     are too many
   */
  void save(Actor actor, @Nullable String name, String parameters) {
    var kept = EnrolmentDesk.text("name", name, LONGEST_NAME, false);
    if (kept == null) {
      throw ApiProblem.bad("name: missing; give the view a name.");
    }
    if (parameters.length() > LONGEST) {
      throw ApiProblem.bad(
          "The filters are too long to be saved; at most " + LONGEST + " characters are accepted.");
    }
    transactions.write(() -> {
      if (all().size() >= MOST) {
        throw ApiProblem.conflict(
            "There are " + MOST + " saved views already; delete one before you save another.");
      }
      var id = Ids.next("view");
      if (rows.insert(
              id,
              kept,
              kept.toLowerCase(Locale.ROOT),
              parameters,
              systemClock.instant(),
              actor.name())
          == 0) {
        throw ApiProblem.conflict(
            "name: a saved view with this name exists already; choose another name.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.VIEW_SAVED)
              .about(id)
              .changed(null, kept));
    });
  }

  /**
   * Deletes a view for everybody.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  void delete(Actor actor, String id) {
    transactions.write(() -> {
      var view =
          rows.find(id)
              .orElseThrow(() -> ApiProblem.notFound("There is no saved view with this id."));
      rows.delete(id);
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.VIEW_DELETED)
              .about(id)
              .changed(view.name(), null));
    });
  }

  /** Returns all views, the oldest first. */
  List<JdbcSavedViews.Row> all() {
    return transactions.read(() -> rows.all(MOST));
  }
}
