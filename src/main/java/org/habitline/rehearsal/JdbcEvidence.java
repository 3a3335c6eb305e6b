package org.habitline.rehearsal;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ConsentStep;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.storage.StoredAsWord;
import org.habitline.timers.Occurrence;
import org.habitline.tools.FlagKind;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a rehearsal left in the database, with queries independent of the code that wrote it.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcEvidence extends GenericRepository<JdbcEvidence.Arrived, Long> {

  @Query(
      """
      SELECT t.seq, t.participant_id, t.body, t.arrived_at, o.kind FROM simulated_phone_text t
      LEFT JOIN outbox o ON o.id = t.delivery_id
      WHERE t.seq > :after ORDER BY t.seq\
      """)
  List<Arrived> arrivedAfter(long after);

  @Query(
      """
      SELECT t.participant_id, t.body, t.arrived_at, o.kind, u.outcome FROM simulated_phone_text t
      LEFT JOIN outbox o ON o.id = t.delivery_id
      LEFT JOIN turn u ON u.participant_id = o.participant_id AND u.number = o.turn
      ORDER BY t.seq\
      """)
  List<PhoneText> phoneTexts();

  @Query(
      """
      SELECT participant_id, body, received_at, CASE WHEN status = 'done' THEN TRUE ELSE FALSE END AS answered
      FROM inbox WHERE kind = 'said' ORDER BY seq\
      """)
  List<Said> said();

  @Query("SELECT participant_id, local_date, status, reason, responded_at FROM occurrence")
  List<Planned> occurrences();

  @Query("SELECT participant_id, number, status, outcome, reason, started_at FROM turn")
  List<Turn> turns();

  @Query(
      "SELECT participant_id, child, tool_calls, metadata FROM iteration ORDER BY participant_id, turn, number, child")
  List<Asked> iterations();

  @Query("SELECT DISTINCT participant_id, field FROM profile_change ORDER BY participant_id, field")
  List<Saved> saved();

  @Query(
      """
      SELECT id, participant_id, level, kind, status, opened_at FROM incident
      WHERE participant_id IS NOT NULL ORDER BY opened_at, id\
      """)
  List<Opened> incidents();

  @Query(
      """
      SELECT i.participant_id, e.kind, e.at, e.rule FROM incident_entry e
      JOIN incident i ON i.id = e.incident_id WHERE i.participant_id IS NOT NULL ORDER BY e.seq\
      """)
  List<Entry> entries();

  @Query("SELECT participant_id, kind, raised_at FROM staff_flag ORDER BY raised_at, id")
  List<Flagged> flags();

  @Query("SELECT participant_id, step, at FROM consent_event ORDER BY seq")
  List<Step> consents();

  @Query("SELECT count(*) FROM outbox WHERE status = 'accepted'")
  long accepted();

  /**
   * A message on a phone.
   *
   * @param kind {@code null} if the outbox does not have it
   */
  @MappedEntity("simulated_phone_text")
  record Arrived(
      @Id long seq,
      String participantId,
      String body,
      Instant arrivedAt,
      @StoredAsWord @Nullable OutboundKind kind) {}

  /**
   * A message on a phone, with the outcome of the turn that sent it.
   *
   * @param kind {@code null} if the outbox does not have it
   * @param outcome {@code null} if no turn sent it
   */
  @MappedEntity
  record PhoneText(
      String participantId,
      String body,
      Instant arrivedAt,
      @StoredAsWord @Nullable OutboundKind kind,
      @Nullable String outcome) {

    /** Returns whether it is written by people: a text of a crisis, or a message of staff. */
    boolean byPeople() {
      return kind == OutboundKind.CRISIS || kind == OutboundKind.STAFF;
    }
  }

  /** An incident. */
  @MappedEntity
  record Opened(
      String id,
      String participantId,
      @StoredAsWord Level level,
      @StoredAsWord RiskKind kind,
      @StoredAsWord IncidentStatus status,
      Instant openedAt) {}

  /** What the coach showed staff. */
  @MappedEntity
  record Flagged(String participantId, @StoredAsWord FlagKind kind, Instant raisedAt) {}

  /** What was asked or answered about consent. */
  @MappedEntity
  record Step(String participantId, @StoredAsWord ConsentStep step, Instant at) {}

  /** What happened in an incident. */
  @MappedEntity
  record Entry(
      String participantId, @StoredAsWord EntryKind kind, Instant at, @Nullable String rule) {}

  /**
   * A call of the model.
   *
   * @param child 0 for the coach, above 0 for what a tool asked the model
   * @param toolCalls the tools that it asked for, as JSON
   * @param metadata what else is recorded with the call, as JSON
   */
  @Introspected
  record Asked(String participantId, int child, String toolCalls, String metadata) {}

  /** A field that a participant has saved. */
  @Introspected
  record Saved(String participantId, String field) {}

  /** A text from a participant. */
  @Introspected
  record Said(String participantId, String body, Instant receivedAt, boolean answered) {}

  /** The status of the prompt of one local date. */
  @MappedEntity
  record Planned(
      String participantId,
      String localDate,
      @StoredAsWord Occurrence.Status status,
      @Nullable String reason,
      @Nullable Instant respondedAt) {}

  /** A turn and how it ended. */
  @MappedEntity
  record Turn(
      String participantId,
      int number,
      @StoredAsWord TurnStatus status,
      @StoredAsWord @Nullable Outcome outcome,
      @Nullable String reason,
      Instant startedAt) {}
}
