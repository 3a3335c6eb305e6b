package org.habitline.staff.web;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import org.habitline.audit.AuditLog;
import org.jspecify.annotations.Nullable;

/** Reads the audit log for the page and the REST API. */
@Singleton
final class AuditDesk {

  private final AuditLog audit;

  AuditDesk(AuditLog audit) {
    this.audit = audit;
  }

  /** Filters for entries; a {@code null} or blank filter matches all. */
  record Wanted(@Nullable String participant, @Nullable String actor, @Nullable String action) {

    AuditLog.Filter filter() {
      return new AuditLog.Filter(said(participant), said(actor), said(action));
    }

    /**
     * Returns a filter value, empty for {@code null}. PostgreSQL refuses NUL in text, and no name
     * contains the character that replaces it.
     */
    private static String said(@Nullable String word) {
      return word == null ? "" : word.strip().replace('\0', '\uFFFD');
    }
  }

  /**
   * One entry.
   *
   * @param role the actor's role; {@code system} for the service itself
   * @param subject what was changed, if not a participant
   */
  record Entry(
      long seq,
      Instant at,
      String actor,
      String role,
      String action,
      @Nullable String participantId,
      @Nullable String subject,
      @Nullable String oldValue,
      @Nullable String newValue,
      @Nullable String reason) {

    private static Entry of(AuditLog.Written written) {
      var entry = written.entry();
      return new Entry(
          written.seq(),
          written.at(),
          entry.actor(),
          entry.role(),
          entry.action(),
          entry.participantId(),
          entry.subject(),
          entry.oldValue(),
          entry.newValue(),
          entry.reason());
    }
  }

  /**
   * A page of entries, newest first.
   *
   * @param next where the next page starts, or {@code null} after the last
   */
  record Page(List<Entry> entries, @Nullable Long next) {}

  Page entries(Wanted wanted, long before, int most) {
    return entries(wanted.filter(), before, most);
  }

  Page entries(AuditLog.Filter filter, long before, int most) {
    var found = audit.entries(filter, before, most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(Entry::of).toList(), found.size() > most ? page.getLast().seq() : null);
  }

  /** Returns every action that the log has an entry of. */
  List<String> actions() {
    return audit.actions();
  }
}
