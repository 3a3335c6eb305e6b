package org.habitline.staff.bulk;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.DataType;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Stores bulk actions and their participants. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcBulk extends GenericRepository<JdbcBulk.Row, String> {

  @Query(
      """
      INSERT INTO bulk_action (id, kind, status, words, tag, actor, actor_role, created_at)
      VALUES (:id, :kind, 'previewed', :words, :tag, :actor, :actorRole, :now)\
      """)
  void insert(
      String id,
      @StoredAsWord BulkKind kind,
      @Nullable String words,
      @Nullable String tag,
      String actor,
      String actorRole,
      Instant now);

  /** Inserts the participants of an action who are not being erased; each array is a column. */
  @Query(
      """
      INSERT INTO bulk_target (bulk_id, number, participant_id, status, reason)
      SELECT :bulkId, CAST(t.number AS integer), t.participant_id, t.status, t.reason
      FROM UNNEST(CAST(:numbers AS varchar ARRAY), CAST(:participants AS varchar ARRAY),
                  CAST(:statuses AS varchar ARRAY), CAST(:reasons AS varchar ARRAY))
           AS t (number, participant_id, status, reason)
        JOIN participant p ON p.id = t.participant_id AND p.erasing = 'no'\
      """)
  int insertTargets(
      String bulkId,
      @TypeDef(type = DataType.STRING_ARRAY) String[] numbers,
      @TypeDef(type = DataType.STRING_ARRAY) String[] participants,
      @TypeDef(type = DataType.STRING_ARRAY) String[] statuses,
      @TypeDef(type = DataType.STRING_ARRAY) @Nullable String[] reasons);

  @Query("SELECT * FROM bulk_action WHERE id = :id AND status <> 'forgotten'")
  Optional<Row> find(String id);

  /** Returns confirmed actions before a sequence number, newest first. */
  @Query(
      """
      SELECT * FROM bulk_action WHERE status = ANY (ARRAY['waiting', 'done', 'undone']) AND seq < :before
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newest(long before, int most);

  @Query(
      """
      SELECT bulk_id, status, COUNT(*) AS count FROM bulk_target
      WHERE bulk_id IN (:ids) GROUP BY bulk_id, status\
      """)
  List<Tally> tallies(List<String> ids);

  @Query(
      """
      SELECT reason, COUNT(*) AS count FROM bulk_target
      WHERE bulk_id = :bulkId AND reason IS NOT NULL GROUP BY reason\
      """)
  List<ReasonTally> reasons(String bulkId);

  @Query(
      """
      SELECT * FROM bulk_target WHERE bulk_id = :bulkId AND number > :after ORDER BY number LIMIT :most\
      """)
  List<Target> targets(String bulkId, long after, int most);

  @Query(
      """
      SELECT * FROM bulk_target WHERE bulk_id = :bulkId AND status = 'waiting' AND number > :after
      ORDER BY number LIMIT :most\
      """)
  List<Target> waiting(String bulkId, long after, int most);

  /** Completes a previewed action with the words of its message or with its tag. */
  @Query(
      """
      UPDATE bulk_action SET words = :words, tag = :tag, version = version + 1
      WHERE id = :id AND status = 'previewed'\
      """)
  int complete(String id, @Nullable String words, @Nullable String tag);

  /** Includes all participants of a previewed action again, before each is looked at once more. */
  @Query("UPDATE bulk_target SET status = 'waiting', reason = NULL WHERE bulk_id = :bulkId")
  int includeAll(String bulkId);

  /** Leaves participants of an action out for a reason. */
  @Query(
      """
      UPDATE bulk_target SET status = 'excluded', reason = :reason
      WHERE bulk_id = :bulkId AND participant_id IN (:participantIds)\
      """)
  int leaveOut(String bulkId, List<String> participantIds, @StoredAsWord BulkReason reason);

  /** Confirms a previewed action, as it was read, in the name of the person who does. */
  @Query(
      """
      UPDATE bulk_action SET status = 'waiting', actor = :actor, actor_role = :actorRole, begins_at = :beginsAt
      WHERE id = :id AND status = 'previewed' AND version = :version\
      """)
  int confirm(String id, int version, String actor, String actorRole, Instant beginsAt);

  @Query(
      """
      SELECT COUNT(*) FROM bulk_action
      WHERE status = 'waiting' AND begins_at <= :now AND (not_before IS NULL OR not_before <= :now)\
      """)
  int due(Instant now);

  /**
   * Returns the first due action that no other node is working on, locked until the commit, so that
   * it is undone before or after a participant's turn and never within it.
   */
  @Query(
      """
      SELECT * FROM bulk_action
      WHERE status = 'waiting' AND begins_at <= :now AND (not_before IS NULL OR not_before <= :now)
      ORDER BY begins_at, seq LIMIT 1 FOR UPDATE SKIP LOCKED\
      """)
  Optional<Row> takeDue(Instant now);

  /** Returns the participant of an action whose turn it is. */
  @Query(
      """
      SELECT * FROM bulk_target WHERE bulk_id = :bulkId AND status = 'waiting' AND due_at <= :now
      ORDER BY due_at, number LIMIT 1\
      """)
  Optional<Target> next(String bulkId, Instant now);

  /** Returns when the first turn of a participant comes who still waits. */
  @Query(
      """
      SELECT due_at FROM bulk_target WHERE bulk_id = :bulkId AND status = 'waiting'
      ORDER BY due_at, number LIMIT 1\
      """)
  Optional<Instant> nextAt(String bulkId);

  /** Puts the turn of a participant off. */
  @Query(
      "UPDATE bulk_target SET due_at = :until WHERE bulk_id = :bulkId AND number = :number AND status"
          + " = 'waiting'")
  int putOff(String bulkId, int number, Instant until);

  /** Lets an action wait, so that others go on meanwhile. */
  @Query("UPDATE bulk_action SET not_before = :until WHERE id = :id AND status = 'waiting'")
  int letWait(String id, Instant until);

  @Query(
      """
      UPDATE bulk_target SET status = :status, reason = :reason, message_id = :messageId, ended_at = :now
      WHERE bulk_id = :bulkId AND number = :number AND status = 'waiting'\
      """)
  int decide(
      String bulkId,
      int number,
      @StoredAsWord BulkTargetStatus status,
      @StoredAsWord @Nullable BulkReason reason,
      @Nullable String messageId,
      Instant now);

  @Query(
      "UPDATE bulk_action SET status = 'done', ended_at = :now WHERE id = :id AND status ="
          + " 'waiting'")
  int finish(String id, Instant now);

  @Query(
      """
      UPDATE bulk_action SET status = 'undone', ended_at = :now, ended_by = :who
      WHERE id = :id AND status = 'waiting'\
      """)
  int undo(String id, String who, Instant now);

  @Query(
      """
      UPDATE bulk_target SET status = 'undone', ended_at = :now WHERE bulk_id = :bulkId AND status = 'waiting'\
      """)
  int undoTargets(String bulkId, Instant now);

  @Query("DELETE FROM bulk_target WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Marks old previews for deletion; from then on they are neither shown nor confirmed. */
  @Query(
      "UPDATE bulk_action SET status = 'forgotten' WHERE status = 'previewed' AND created_at <"
          + " :before")
  int forgetPreviews(Instant before);

  @Query("UPDATE bulk_action SET status = 'forgotten' WHERE id = :id AND status = 'previewed'")
  int discard(String id);

  @Query("SELECT id FROM bulk_action WHERE status = 'forgotten'")
  List<String> forgotten();

  /** Returns the numbers of some participants of an action, to delete them in batches. */
  @Query(
      """
      SELECT t.number FROM bulk_target t WHERE t.bulk_id = :bulkId ORDER BY t.number LIMIT :most\
      """)
  List<Integer> numbers(String bulkId, int most);

  @Query("DELETE FROM bulk_target WHERE bulk_id = :bulkId AND number IN (:numbers)")
  int deleteTargets(String bulkId, List<Integer> numbers);

  @Query("DELETE FROM bulk_action WHERE id = :id AND status = 'forgotten'")
  int delete(String id);

  @Query("UPDATE bulk_action SET words = NULL WHERE ended_at < :before AND words IS NOT NULL")
  int clearWords(Instant before);

  /** Clears the words of actions that have ended and all of whose participants were erased. */
  @Query(
      """
      UPDATE bulk_action SET words = NULL
      WHERE words IS NOT NULL AND status IN ('done', 'undone')
        AND NOT EXISTS (SELECT 1 FROM bulk_target t WHERE t.bulk_id = bulk_action.id)\
      """)
  int clearWordsOfNobody();

  /** Returns what decides whether participants may be messaged, besides their own rows. */
  @Query(
      """
      SELECT p.id,
        (SELECT COUNT(*) FROM incident i
         WHERE i.participant_id = p.id AND \
      """
          + Incident.PAUSES_COACHING
          + """
            ) AS crises,
            s.muted_until, s.muted_by,
            (SELECT b.channel FROM inbox b WHERE b.participant_id = p.id AND b.kind = 'said'
             ORDER BY b.participant_id DESC, b.seq DESC LIMIT 1) AS last_channel,
            (SELECT b.stored_at FROM inbox b WHERE b.participant_id = p.id AND b.kind = 'said'
             ORDER BY b.participant_id DESC, b.seq DESC LIMIT 1) AS last_stored
          FROM participant p LEFT JOIN participant_state s ON s.participant_id = p.id
          WHERE p.id IN (:ids)\
          """)
  List<Facts> facts(List<String> ids);

  /**
   * An action.
   *
   * @param version how often its words or its tag were chosen
   * @param endedBy who stopped it, if somebody did
   */
  @MappedEntity("bulk_action")
  record Row(
      @Id String id,
      long seq,
      @StoredAsWord BulkKind kind,
      @StoredAsWord BulkStatus status,
      @Nullable String words,
      @Nullable String tag,
      int version,
      String actor,
      String actorRole,
      Instant createdAt,
      @Nullable Instant beginsAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy) {}

  /** One participant of an action. */
  @MappedEntity
  record Target(
      String bulkId,
      int number,
      String participantId,
      @StoredAsWord BulkTargetStatus status,
      @StoredAsWord @Nullable BulkReason reason,
      @Nullable String messageId,
      @Nullable Instant endedAt) {}

  /** How many participants of an action have a status. */
  @MappedEntity
  record Tally(String bulkId, @StoredAsWord BulkTargetStatus status, int count) {}

  /** How many participants of an action have a reason. */
  @MappedEntity
  record ReasonTally(@StoredAsWord @Nullable BulkReason reason, int count) {}

  /**
   * Facts about one participant.
   *
   * @param crises how many crises nobody has released
   * @param mutedUntil study time at which the last takeover ends or ended
   * @param lastChannel the channel of their newest text
   * @param lastStored system time at which it was stored
   */
  @MappedEntity
  record Facts(
      String id,
      int crises,
      @Nullable Instant mutedUntil,
      @Nullable String mutedBy,
      @StoredAsWord @Nullable ChannelKind lastChannel,
      @Nullable Instant lastStored) {}
}
