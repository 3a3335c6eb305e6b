package org.habitline.conversation.stored;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of turns. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcTurns extends GenericRepository<JdbcTurns.Row, String> {

  /**
   * Returns what a claim reads first: one row for each datum of the state, or one row without a
   * datum. The turn that limits when the next may begin is looked for among the newest turns only,
   * because a silent participant has very many turns that were not for texts.
   *
   * @param later the position of that turn among the turns for texts, newest first from 0
   * @param looked how many of the newest turns are looked through for it
   */
  @Query(
      """
      SELECT l.owner AS lease_owner, l.token AS lease_token, l.held_until AS held_until,
             l.handed_over AS handed_over, s.next_turn AS next_turn, s.success_count AS success_count,
             s.total_prompts AS total_prompts, s.feedback_state AS feedback_state,
             s.muted_until AS muted_until, s.muted_by AS muted_by,
             (SELECT MAX(g.until_at) FROM debug_interval g
              WHERE g.participant_id IN (s.participant_id, 'all') AND g.ended_at IS NULL) AS debug_until,
             (SELECT MAX(i.id) FROM incident i
              WHERE i.participant_id = s.participant_id AND \
      """
          + Incident.PAUSES_COACHING
          + """
                 ) AS incident_id,
                 t.number AS running, t.attempts AS attempts, t.pinned AS pinned,
                 w.watched_until AS watched_until,
                 (SELECT p.begun_at FROM turn p
                  WHERE p.participant_id = s.participant_id AND p.number >= s.next_turn - :looked
                  AND p.begun_at IS NOT NULL
                  ORDER BY p.participant_id DESC, p.number DESC LIMIT 1 OFFSET :later) AS paced_by,
                 d.data_key AS data_key, d.data_value AS data_value
          FROM participant_state s
          JOIN lease l ON l.participant_id = s.participant_id
          LEFT JOIN turn t ON t.participant_id = s.participant_id AND t.status = 'running'
          LEFT JOIN watched w ON w.participant_id = s.participant_id
          LEFT JOIN state_data d ON d.participant_id = s.participant_id
          WHERE s.participant_id = :participantId ORDER BY d.data_key\
          """)
  List<Situation> situation(String participantId, int later, int looked);

  @Query(
      """
      INSERT INTO turn (participant_id, number, status, kind, module, attempts, pinned, configuration, started_at, begun_at)
      VALUES (:participantId, :number, 'running', :kind, :module, 1, :pinned, :configuration, :startedAt, :begunAt)\
      """)
  void begin(
      String participantId,
      int number,
      @StoredAsWord InputKind kind,
      String module,
      String pinned,
      long configuration,
      Instant startedAt,
      @Nullable Instant begunAt);

  @Query(
      """
      UPDATE turn SET attempts = :attempts
      WHERE participant_id = :participantId AND number = :number AND status = 'running'\
      """)
  int resume(String participantId, int number, int attempts);

  @Query(
      """
      UPDATE turn SET status = :status, outcome = :outcome, reason = :reason, model_failure = :modelFailure,
             held_by_staff = :heldByStaff, completed_at = :completedAt
      WHERE participant_id = :participantId AND number = :number AND status = 'running'\
      """)
  int close(
      String participantId,
      int number,
      @StoredAsWord TurnStatus status,
      @StoredAsWord Outcome outcome,
      @Nullable String reason,
      @StoredAsWord @Nullable ModelFailure modelFailure,
      boolean heldByStaff,
      Instant completedAt);

  @Query(
      """
      UPDATE turn SET status = 'failed', outcome = 'cancelled', reason = :reason, completed_at = :now
      WHERE participant_id = :participantId AND status = 'running'\
      """)
  int cancel(String participantId, String reason, Instant now);

  @Query(
      """
      SELECT * FROM turn WHERE participant_id = :participantId AND number < :before
      ORDER BY participant_id DESC, number DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, int before, int most);

  @Query("SELECT * FROM turn WHERE participant_id = :participantId AND number = :number")
  Optional<Row> find(String participantId, int number);

  @Query(
      """
      SELECT s.participant_id AS participant_id,
             (SELECT d.data_value FROM state_data d
              WHERE d.participant_id = s.participant_id AND d.data_key = 'conversationState') AS sub_state,
             (SELECT m.created_at FROM message m
              WHERE m.participant_id = s.participant_id ORDER BY m.participant_id DESC, m.seq DESC LIMIT 1) AS last_message_at,
             (SELECT MAX(r.number) FROM turn r
              WHERE r.participant_id = s.participant_id AND r.status = 'running') AS running,
             t.status AS last_status, t.outcome AS last_outcome, t.reason AS last_reason
      FROM participant_state s
      LEFT JOIN turn t ON t.participant_id = s.participant_id AND t.number =
          (SELECT MAX(c.number) FROM turn c
           WHERE c.participant_id = s.participant_id AND c.status <> 'running')
      WHERE s.participant_id IN (:participantIds)\
      """)
  List<Standing> standings(List<String> participantIds);

  /**
   * Returns how many texts or enrolments of a participant got a message of the coach, or the flow's
   * in its place.
   */
  @Query(
      """
      SELECT COUNT(*) FROM turn WHERE participant_id = :participantId
        AND kind = ANY (ARRAY['said', 'enrolled'])
        AND outcome = ANY (ARRAY['replied', 'model_failed', 'other_model', 'refused', 'content_filtered', 'gated', 'no_text', 'no_context', 'crashed'])\
      """)
  int coached(String participantId);

  /** Returns what decides whether a nudge is planned after a message of a turn. */
  @Query(
      """
      SELECT EXISTS (SELECT 1 FROM turn t JOIN flow_change f ON f.participant_id = t.participant_id
                     WHERE t.participant_id = :participantId AND t.number = :number
                     AND f.changed_at > t.started_at) AS moved,
             EXISTS (SELECT 1 FROM turn t WHERE t.participant_id = :participantId AND t.number > :number
                     AND t.kind = 'said') AS said,
             EXISTS (SELECT 1 FROM schedule s WHERE s.participant_id = :participantId
                     AND s.ended_at IS NULL) AS prompted,
             (SELECT d.data_value FROM state_data d WHERE d.participant_id = :participantId
              AND d.data_key = 'conversationState') AS module\
      """)
  Silence silence(String participantId, int number);

  /** Returns how many turns for texts began after a turn. */
  @Query(
      "SELECT COUNT(*) FROM turn WHERE participant_id = :participantId AND number > :number AND kind = 'said'")
  int saidAfter(String participantId, int number);

  /**
   * Returns turns with an outcome since an instant after which the participant got neither a reply
   * of the coach nor a message of staff to them alone, newest first; without turns that were a
   * retry themselves.
   */
  @Query(
      """
      SELECT t.* FROM turn t WHERE t.outcome = :outcome AND t.completed_at >= :since
        AND NOT EXISTS (SELECT 1 FROM turn n WHERE n.participant_id = t.participant_id AND n.number > t.number
                                               AND n.outcome = 'replied')
        AND NOT EXISTS (SELECT 1 FROM message m WHERE m.participant_id = t.participant_id
                                                  AND m.created_at >= t.completed_at AND \
      """
          + JdbcTranscript.REPLY_OF_STAFF
          + """
            )
            AND NOT EXISTS (SELECT 1 FROM wakeup w JOIN inbox i ON i.body = w.id
                            WHERE w.participant_id = t.participant_id AND w.kind = 'retry'
                              AND i.participant_id = t.participant_id AND i.turn = t.number AND i.kind = 'woke')
          ORDER BY t.outcome DESC, t.completed_at DESC LIMIT :most\
          """)
  List<Row> unsettled(@StoredAsWord Outcome outcome, Instant since, int most);

  /**
   * Returns turns with an outcome since an instant after which no turn of the participant ended,
   * newest first.
   */
  @Query(
      """
      SELECT t.* FROM turn t WHERE t.outcome = :outcome AND t.completed_at >= :since
        AND NOT EXISTS (SELECT 1 FROM turn n WHERE n.participant_id = t.participant_id AND n.number > t.number
                                               AND n.status <> 'running')
      ORDER BY t.outcome DESC, t.completed_at DESC LIMIT :most\
      """)
  List<Row> lastEnded(@StoredAsWord Outcome outcome, Instant since, int most);

  /**
   * Returns turns with an outcome since an instant that were left to staff and after which no turn
   * of the participant ended, newest first.
   */
  @Query(
      """
      SELECT t.* FROM turn t WHERE t.outcome = :outcome AND t.completed_at >= :since AND t.held_by_staff = TRUE
        AND NOT EXISTS (SELECT 1 FROM turn n WHERE n.participant_id = t.participant_id AND n.number > t.number
                                               AND n.status <> 'running')
      ORDER BY t.outcome DESC, t.completed_at DESC LIMIT :most\
      """)
  List<Row> lastLeft(@StoredAsWord Outcome outcome, Instant since, int most);

  @Query("SELECT COUNT(*) FROM turn WHERE status = 'running'")
  int running();

  @Query("DELETE FROM turn WHERE participant_id = :participantId")
  int erase(String participantId);

  /** What a claim reads first. */
  @Introspected
  record Situation(
      @Nullable String leaseOwner,
      long leaseToken,
      @Nullable Instant heldUntil,
      @Nullable Long handedOver,
      int nextTurn,
      int successCount,
      int totalPrompts,
      @Nullable String feedbackState,
      @Nullable Instant mutedUntil,
      @Nullable String mutedBy,
      @Nullable Instant debugUntil,
      @Nullable String incidentId,
      @Nullable Integer running,
      @Nullable Integer attempts,
      @Nullable String pinned,
      @Nullable Instant watchedUntil,
      @Nullable Instant pacedBy,
      @Nullable String dataKey,
      @Nullable String dataValue) {}

  /**
   * A participant's silence since a turn.
   *
   * @param moved whether they were moved to another flow since
   * @param said whether they wrote since
   * @param prompted whether daily prompts reach them anyway
   * @param module the module that their conversation is in, or {@code null} if it is in none
   */
  @Introspected
  record Silence(boolean moved, boolean said, boolean prompted, @Nullable String module) {
    /** Returns whether nothing has ended the silence, so that a nudge may be planned. */
    public boolean lasts() {
      return !moved && !said && !prompted;
    }
  }

  /** The state of a conversation, by its newest message and its newest finished turn. */
  @MappedEntity
  record Standing(
      String participantId,
      @Nullable String subState,
      @Nullable Instant lastMessageAt,
      @Nullable Integer running,
      @StoredAsWord @Nullable TurnStatus lastStatus,
      @StoredAsWord @Nullable Outcome lastOutcome,
      @Nullable String lastReason) {}

  /** A row as stored. */
  @MappedEntity("turn")
  record Row(
      @Id String participantId,
      int number,
      @StoredAsWord TurnStatus status,
      @StoredAsWord InputKind kind,
      String module,
      int attempts,
      String pinned,
      long configuration,
      @StoredAsWord @Nullable Outcome outcome,
      @Nullable String reason,
      @StoredAsWord @Nullable ModelFailure modelFailure,
      Instant startedAt,
      @Nullable Instant completedAt) {}
}
