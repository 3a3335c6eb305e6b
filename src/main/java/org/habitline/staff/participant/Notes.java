package org.habitline.staff.participant;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.ParticipantListener;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Idempotency;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what staff note about a participant for each other. No model and no participant is shown a
 * note. Each change is audited without the note's words, in the same transaction. Words that were
 * replaced or removed are kept nowhere else; an erasure deletes the notes.
 */
@Singleton
final class Notes implements ParticipantListener {

  /** The most characters of a note, in UTF-16 units. */
  static final int LONGEST = 4000;

  private final JdbcNotes rows;
  private final EnrolmentDesk desk;
  private final AuditLog audit;
  private final Events events;
  private final Idempotency idempotency;
  private final Transactions transactions;
  private final Clock clock;

  Notes(
      JdbcNotes rows,
      EnrolmentDesk desk,
      AuditLog audit,
      Events events,
      Idempotency idempotency,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.desk = desk;
    this.audit = audit;
    this.events = events;
    this.idempotency = idempotency;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * One note; times are study time.
   *
   * @param editedAt when it was edited last, or {@code null}
   */
  record Note(
      long seq,
      String id,
      String text,
      String author,
      Instant writtenAt,
      @Nullable Instant editedAt,
      @Nullable String editedBy) {

    private static Note of(JdbcNotes.Row row) {
      return new Note(
          Objects.requireNonNull(row.seq()),
          row.id(),
          row.body(),
          row.writtenBy(),
          row.writtenAt(),
          row.editedAt(),
          row.editedBy());
    }

    /** Returns whether a staff member may edit and remove it. */
    boolean isOpenTo(Actor actor) {
      return actor.role().equals("admin") || author.equals(actor.name());
    }
  }

  /**
   * Returns notes before a place ({@link Long#MAX_VALUE} at first), newest first.
   *
   * @throws ApiProblem 404 if there is no such participant
   */
  List<Note> newest(String participantId, long before, int most) {
    var id = desk.participant(participantId).id();
    return transactions.read(() -> rows.newest(id, before, most)).stream().map(Note::of).toList();
  }

  /**
   * Adds a note.
   *
   * @throws ApiProblem 400 for a text that is not accepted, 404 if there is no such participant
   */
  Note add(Actor actor, String participantId, @Nullable String text) {
    var said = text(text);
    return transactions.write(() -> {
      var id = desk.held(participantId).id();
      var note =
          Note.of(
              rows.save(
                  new JdbcNotes.Row(
                      null,
                      Ids.next("note"),
                      id,
                      said,
                      actor.name(),
                      clock.instant(),
                      null,
                      null)));
      record(actor, id, note.id(), AuditAction.NOTE_ADDED, null, said);
      return note;
    });
  }

  /**
   * Replaces the text of a note; its author and time stay.
   *
   * @throws ApiProblem 400 for a text that is not accepted, 403 for a note of somebody else, 404 if
   *     there is no such participant or note
   */
  Note edit(Actor actor, String participantId, String noteId, @Nullable String text) {
    var said = text(text);
    return transactions.write(() -> {
      desk.held(participantId);
      var before = own(actor, participantId, noteId);
      if (!before.text().equals(said)) {
        rows.edit(noteId, said, clock.instant(), actor.name());
        idempotency.forget(participantId, noteId);
        record(actor, participantId, noteId, AuditAction.NOTE_CHANGED, before.text(), said);
      }
      return find(participantId, noteId);
    });
  }

  /**
   * Removes a note and returns it.
   *
   * @throws ApiProblem 403 for a note of somebody else, 404 if there is no such participant or note
   */
  Note remove(Actor actor, String participantId, String noteId) {
    return transactions.write(() -> {
      desk.held(participantId);
      var note = own(actor, participantId, noteId);
      rows.remove(noteId);
      idempotency.forget(participantId, noteId);
      record(actor, participantId, noteId, AuditAction.NOTE_REMOVED, note.text(), null);
      return note;
    });
  }

  private Note own(Actor actor, String participantId, String noteId) {
    var note = find(participantId, noteId);
    if (!note.isOpenTo(actor)) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN, "Only its author or an admin can change or remove a note.");
    }
    return note;
  }

  private Note find(String participantId, String noteId) {
    var id = desk.participant(participantId).id();
    return rows.find(id, PlainText.storable(noteId))
        .map(Note::of)
        .orElseThrow(() -> ApiProblem.notFound("There is no such note about this participant."));
  }

  private void record(
      Actor actor,
      String participantId,
      String noteId,
      AuditAction act,
      @Nullable String before,
      @Nullable String after) {
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), act)
            .to(participantId)
            .about(noteId)
            .changed(size(before), size(after)));
    events.emit("participant.changed", participantId, Map.of("what", "note"));
  }

  /** The log outlives a removed note, so it has only how long a note was. */
  private static @Nullable String size(@Nullable String text) {
    return text == null ? null : text.length() + " characters";
  }

  private static String text(@Nullable String text) {
    var said = text == null ? "" : PlainText.storable(text).strip().replace("\r\n", "\n");
    if (said.isBlank()) {
      throw ApiProblem.bad("text: blank; write a note.");
    }
    if (said.length() > LONGEST) {
      throw ApiProblem.bad("text: too long; at most " + LONGEST + " characters are accepted.");
    }
    return said;
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
