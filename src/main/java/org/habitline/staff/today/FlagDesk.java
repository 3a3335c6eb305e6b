package org.habitline.staff.today;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.flags.FlagStatus;
import org.habitline.conversation.flags.Flags;
import org.habitline.conversation.flags.JdbcFlags.Flag;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.tools.FlagKind;
import org.jspecify.annotations.Nullable;

/**
 * Lists and closes what the coach flagged, for the page and the REST API. The audit log has no
 * notes, because they may be about the participant.
 */
@Singleton
final class FlagDesk {

  /** The longest note, in characters. */
  static final int LONGEST_NOTE = 2000;

  private final Flags flags;
  private final AuditLog audit;
  private final Transactions transactions;

  FlagDesk(Flags flags, AuditLog audit, Transactions transactions) {
    this.flags = flags;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * Returns flags with a status; open ones if none is named.
   *
   * @throws ApiProblem 400 for an unknown status
   */
  List<Flag> list(@Nullable String status, int most) {
    return flags.list(
        FlagStatus.of(status == null ? FlagStatus.OPEN.word() : status)
            .orElseThrow(() -> ApiProblem.bad("status: expected open or closed.")),
        most);
  }

  /**
   * Returns a flag.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  Flag flag(String id) {
    return flags.find(id).orElseThrow(() -> ApiProblem.notFound("There is no flag with this id."));
  }

  /**
   * Closes a flag.
   *
   * @throws ApiProblem 400 if the note is missing or too long, 404 if there is no such flag, 409 if
   *     it is closed
   */
  Flag close(Actor actor, String id, @Nullable String note) {
    var words = note == null ? "" : PlainText.storable(note).replace("\r\n", "\n").strip();
    if (words.isEmpty()) {
      throw ApiProblem.bad("note: missing; write what you did.");
    }
    if (words.length() > LONGEST_NOTE) {
      throw ApiProblem.bad("note: too long; at most " + LONGEST_NOTE + " characters are accepted.");
    }
    return transactions.write(() -> {
      var flag = flag(id);
      if (!flags.close(flag, words, actor.name())) {
        throw ApiProblem.conflict("Someone has closed this flag already.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.FLAG_CLOSED)
              .to(flag.participantId())
              .about(id)
              .changed(FlagStatus.OPEN.word(), FlagStatus.CLOSED.word()));
      return flag(id);
    });
  }

  /** Returns what a flag is about, for people. */
  static String says(FlagKind kind) {
    return switch (kind) {
      case ADVERSE_EVENT -> "adverse event";
      case MEDICATION_STOPPED -> "medicine stopped or changed";
      case WANTS_A_PERSON -> "wants a person";
      case DANGER -> "possible danger";
      case OTHER -> "something else";
    };
  }
}
