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
import org.jspecify.annotations.Nullable;

/** Rows of participants' states, their data by key, and the change log of their profiles. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcStates extends GenericRepository<JdbcStates.ProfileChange, Long> {

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
      UPDATE participant_state SET next_turn = :nextTurn WHERE participant_id = :participantId
        AND (muted_until IS NULL OR muted_until <= CAST(:now AS timestamp(6) with time zone))
        AND NOT EXISTS (SELECT 1 AS found FROM incident i WHERE i.participant_id = :participantId
                                                           AND i.level = 'crisis' AND i.status <> 'released')\
      """)
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
             feedback_state = CASE WHEN feedback_state IS NULL THEN NULL ELSE 'completed' END
      WHERE participant_id = :participantId
        AND (muted_until IS NULL OR muted_until <= CAST(:now AS timestamp(6) with time zone))
        AND NOT EXISTS (SELECT 1 AS found FROM incident i WHERE i.participant_id = :participantId
                                                           AND i.level = 'crisis' AND i.status <> 'released')\
      """)
  int advanceReplied(String participantId, int nextTurn, Instant now);

  /** Sets the next turn after a text of the participant, also while replies are paused. */
  @Query(
      """
      UPDATE participant_state SET next_turn = :nextTurn,
             feedback_state = CASE WHEN feedback_state IS NULL THEN NULL ELSE 'completed' END
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

  @Query(
      """
      INSERT INTO state_data (participant_id, data_key, data_value, updated_at)
      VALUES (:participantId, :dataKey, :dataValue, :updatedAt)\
      """)
  void insert(String participantId, String dataKey, String dataValue, Instant updatedAt);

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

  /** One datum of a participant's state. */
  @Introspected
  record Datum(String dataKey, String dataValue) {}

  /** One change of one profile field. */
  @MappedEntity("profile_change")
  record ProfileChange(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      int turn,
      String field,
      @Nullable String oldValue,
      @Nullable String newValue,
      Instant changedAt) {}
}
