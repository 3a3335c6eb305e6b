package org.habitline.conversation.stored;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.safety.incidents.Incident;
import org.jspecify.annotations.Nullable;

/** Rows of participants' states, their data by key, and the change log of their profiles. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcStates extends GenericRepository<JdbcStates.ProfileChange, Long> {

  /** The condition that automatic replies are paused neither by staff nor by a crisis. */
  String NOT_PAUSED =
      """
       AND (muted_until IS NULL OR muted_until <= CAST(:now AS timestamp(6) with time zone))
        AND NOT EXISTS (SELECT 1 AS found FROM incident i WHERE i.participant_id = :participantId AND \
      """
          + Incident.PAUSES_COACHING
          + ")";

  /** Inserts a state; does nothing for a contact who is being enrolled and already has one. */
  @Query(
      """
      INSERT INTO participant_state (participant_id, next_turn) VALUES (:participantId, 1)
      ON CONFLICT DO NOTHING\
      """)
  void open(String participantId);

  /** Sets the next turn; returns 0 while automatic replies are paused. */
  @Query(
      """
      UPDATE participant_state SET next_turn = :nextTurn WHERE participant_id = :participantId\
      """
          + NOT_PAUSED)
  int advance(String participantId, int nextTurn, Instant now);

  /** Sets the next turn, also while automatic replies are paused. */
  @Query("UPDATE participant_state SET next_turn = :nextTurn WHERE participant_id = :participantId")
  int advanceMuted(String participantId, int nextTurn);

  /**
   * Sets the next turn after a text of the participant, which ends a check-in; returns 0 while
   * automatic replies are paused.
   */
  @Query(
      """
      UPDATE participant_state SET next_turn = :nextTurn,
             feedback_state = CASE WHEN feedback_state IS NULL THEN NULL ELSE 'completed' END, stuck_since = NULL
      WHERE participant_id = :participantId\
      """
          + NOT_PAUSED)
  int advanceReplied(String participantId, int nextTurn, Instant now);

  /** Sets the next turn after a text of the participant, also while replies are paused. */
  @Query(
      """
      UPDATE participant_state SET next_turn = :nextTurn,
             feedback_state = CASE WHEN feedback_state IS NULL THEN NULL ELSE 'completed' END, stuck_since = NULL
      WHERE participant_id = :participantId\
      """)
  int advanceRepliedMuted(String participantId, int nextTurn);

  @Query(
      "UPDATE participant_state SET success_count = success_count + :more WHERE participant_id = :participantId")
  int countSuccess(String participantId, int more);

  @Query(
      "UPDATE participant_state SET total_prompts = total_prompts + 1 WHERE participant_id = :participantId")
  int countPrompt(String participantId);

  @Query(
      "UPDATE participant_state SET feedback_state = :feedbackState WHERE participant_id = :participantId")
  int feedback(String participantId, String feedbackState);

  @Query(
      """
      UPDATE participant_state SET feedback_state = 'completed'
      WHERE participant_id = :participantId AND feedback_state IN ('waiting_initial', 'followup_sent')\
      """)
  int endFeedback(String participantId);

  /** Records that a participant was nudged in a module. */
  @Query(
      "UPDATE participant_state SET nudged_in = :module, nudged_at = :now WHERE participant_id = :participantId")
  int nudged(String participantId, String module, Instant now);

  /** Records that the last nudge did not arrive and that no other one follows it. */
  @Query("UPDATE participant_state SET nudged_at = NULL WHERE participant_id = :participantId")
  int nudgeMissed(String participantId);

  /** Records that the last nudge did not arrive, so that another one follows. */
  @Query(
      "UPDATE participant_state SET nudged_in = NULL, nudged_at = NULL WHERE participant_id = :participantId")
  int notNudged(String participantId);

  /** Returns 1 if the participant was nudged in this module, else 0. */
  @Query(
      "SELECT COUNT(*) FROM participant_state WHERE participant_id = :participantId AND nudged_in = :module")
  int isNudged(String participantId, String module);

  /** Records that the participant stayed silent after their nudge, or without one. */
  @Query(
      "UPDATE participant_state SET stuck_since = :now WHERE participant_id = :participantId AND stuck_since IS NULL")
  int stuck(String participantId, Instant now);

  /**
   * Returns participants who are stuck in the module in which they were nudged, the longest first.
   * Leaves out participants who get no messages, are paused by a crisis or were moved to another
   * module since.
   *
   * @param after a time before the first that counts, so that the index is read from there
   */
  @Query(
      """
      SELECT s.participant_id, s.nudged_in AS module, s.nudged_at, s.stuck_since FROM participant_state s
      JOIN participant p ON p.id = s.participant_id AND p.status = 'active' AND p.erasing = 'no'
      JOIN address a ON a.id = p.address_id AND a.opted_out = FALSE
      JOIN state_data d ON d.participant_id = s.participant_id AND d.data_key = 'conversationState'
                       AND d.data_value = s.nudged_in
      WHERE s.stuck_since > :after
        AND NOT EXISTS (SELECT 1 FROM incident i WHERE i.participant_id = s.participant_id AND \
      """
          + Incident.PAUSES_COACHING
          + ") ORDER BY s.stuck_since LIMIT :most")
  List<Stuck> stuck(Instant after, int most);

  @Query("SELECT feedback_state FROM participant_state WHERE participant_id = :participantId")
  Optional<String> feedback(String participantId);

  @Query(
      """
      SELECT success_count, total_prompts, feedback_state FROM participant_state
      WHERE participant_id = :participantId\
      """)
  Optional<Counters> counters(String participantId);

  @Query(
      "SELECT data_key, data_value FROM state_data WHERE participant_id = :participantId ORDER BY data_key")
  List<Datum> data(String participantId);

  /** Stores a datum; joins the running transaction, which must hold the participant. */
  default void put(String participantId, String dataKey, String dataValue, Instant updatedAt) {
    if (update(participantId, dataKey, dataValue, updatedAt) == 0
        && insertNew(participantId, dataKey, dataValue, updatedAt) == 0) {
      throw new IllegalStateException(
          "Another transaction stored " + dataKey + " without the hold");
    }
  }

  @Query(
      """
      UPDATE state_data SET data_value = :dataValue, updated_at = :updatedAt
      WHERE participant_id = :participantId AND data_key = :dataKey\
      """)
  int update(String participantId, String dataKey, String dataValue, Instant updatedAt);

  /** Updates a datum only if it still has the value it had before. */
  @Query(
      """
      UPDATE state_data SET data_value = :dataValue, updated_at = :updatedAt
      WHERE participant_id = :participantId AND data_key = :dataKey AND data_value = :before\
      """)
  int replace(
      String participantId, String dataKey, String before, String dataValue, Instant updatedAt);

  /** Inserts a datum, unless the key has one by now. */
  @Query(
      """
      INSERT INTO state_data (participant_id, data_key, data_value, updated_at)
      VALUES (:participantId, :dataKey, :dataValue, :updatedAt) ON CONFLICT DO NOTHING\
      """)
  int insertNew(String participantId, String dataKey, String dataValue, Instant updatedAt);

  @Query(
      "SELECT data_value FROM state_data WHERE participant_id = :participantId AND data_key = :dataKey")
  Optional<String> datum(String participantId, String dataKey);

  @Query("DELETE FROM state_data WHERE participant_id = :participantId AND data_key = :dataKey")
  int remove(String participantId, String dataKey);

  List<ProfileChange> saveAll(Iterable<ProfileChange> changes);

  @Query("SELECT * FROM profile_change WHERE participant_id = :participantId ORDER BY seq")
  List<ProfileChange> changes(String participantId);

  @Query("DELETE FROM state_data WHERE participant_id = :participantId")
  int eraseData(String participantId);

  @Query("DELETE FROM profile_change WHERE participant_id = :participantId")
  int eraseChanges(String participantId);

  @Query("DELETE FROM participant_state WHERE participant_id = :participantId")
  int eraseState(String participantId);

  /** Counters that the server keeps itself. */
  @Introspected
  record Counters(int successCount, int totalPrompts, @Nullable String feedbackState) {}

  /**
   * A participant who stayed silent in a module.
   *
   * @param nudgedAt {@code null} if the nudge could not be sent
   */
  @Introspected
  record Stuck(
      String participantId, String module, @Nullable Instant nudgedAt, Instant stuckSince) {}

  /** One datum of a participant's state. */
  @Introspected
  record Datum(String dataKey, String dataValue) {}

  @Query("SELECT * FROM profile_change WHERE participant_id = :participantId AND seq = :seq")
  Optional<ProfileChange> change(String participantId, long seq);

  /**
   * One change of one profile field, by a turn or by a staff member.
   *
   * @param turn {@code null} if staff changed it
   * @param changedBy the staff member, or {@code null} if a turn changed it
   */
  @MappedEntity("profile_change")
  record ProfileChange(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      @Nullable Integer turn,
      String field,
      @Nullable String oldValue,
      @Nullable String newValue,
      Instant changedAt,
      @Nullable String changedBy) {}
}
