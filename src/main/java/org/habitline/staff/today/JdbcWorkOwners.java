package org.habitline.staff.today;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.habitline.conversation.stored.JdbcTranscript;
import org.jspecify.annotations.Nullable;

/** Keeps who is on a row of Today. Only {@link WorkOwners} uses it. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcWorkOwners extends GenericRepository<JdbcWorkOwners.Row, String> {

  /**
   * Returns who is on these rows, with the number of replies that the participant got since: of the
   * coach, but not its fixed texts such as the reply to HELP, or of staff.
   */
  @Query(
      """
      SELECT w.row_key AS row_key, w.participant_id AS participant_id, w.owner AS owner, w.taken_at AS taken_at, w.study_at AS study_at,
             (SELECT COUNT(*) FROM message m
              WHERE m.participant_id = w.participant_id AND m.seq > w.after_message
                AND ((m.author = 'bot'
                     AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.participant_id = m.participant_id
                                     AND t.number = m.turn AND t.outcome = 'not_for_the_coach'))
                     OR (\
      """
          + JdbcTranscript.REPLY_OF_STAFF
          + """
          ))) AS replies
          FROM work_owner w WHERE w.row_key IN (:keys)\
          """)
  List<Owned> of(Collection<String> keys);

  /** Records that somebody is on a row; returns 0 if somebody is already. */
  @Query(
      """
      INSERT INTO work_owner (row_key, participant_id, owner, taken_at, study_at, after_message)
      SELECT CAST(:rowKey AS varchar), CAST(:participantId AS varchar), CAST(:owner AS varchar),
             CAST(:takenAt AS timestamp(6) with time zone), CAST(:studyAt AS timestamp(6) with time zone),
             COALESCE(MAX(m.seq), 0)
      FROM message m WHERE m.participant_id = CAST(:participantId AS varchar)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String rowKey,
      @Nullable String participantId,
      String owner,
      Instant takenAt,
      Instant studyAt);

  @Query("DELETE FROM work_owner WHERE row_key = :rowKey AND owner = :owner")
  int delete(String rowKey, String owner);

  @Query("DELETE FROM work_owner WHERE row_key = :rowKey")
  int forget(String rowKey);

  @Query("DELETE FROM work_owner WHERE taken_at < :before")
  int deleteOld(Instant before);

  @Query("DELETE FROM work_owner WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Who is on a row, and how many replies the participant got since. */
  @Introspected
  record Owned(
      String rowKey,
      @Nullable String participantId,
      String owner,
      Instant takenAt,
      Instant studyAt,
      long replies) {}

  /** A row as stored. */
  @MappedEntity("work_owner")
  record Row(
      @Id String rowKey,
      @Nullable String participantId,
      String owner,
      Instant takenAt,
      Instant studyAt,
      long afterMessage) {}
}
