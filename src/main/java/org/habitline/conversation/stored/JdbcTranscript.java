package org.habitline.conversation.stored;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the transcript: added, read, and erased with the participant. Only retention changes
 * them: it empties the text and sets {@code cleared_at}. Queries for the newest rows name both
 * columns of the index in their order: ordered by the second alone, H2 reads and sorts all messages
 * of the participant.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcTranscript extends GenericRepository<JdbcTranscript.Row, Long> {

  /** The turn number of a message that no turn wrote. */
  int NO_TURN = 0;

  /**
   * An SQL condition: a staff member wrote the message {@code m} to the participant alone, so that
   * it counts as a reply.
   */
  String REPLY_OF_STAFF = "m.author = 'staff' AND m.turn = 0 AND m.one_of_many = FALSE";

  List<Row> saveAll(Iterable<Row> rows);

  Row save(Row row);

  @Query(
      """
      SELECT * FROM message WHERE participant_id = :participantId AND seq < :before
      ORDER BY participant_id DESC, seq DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, long before, int most);

  /**
   * Returns the newest messages as a model sees them, newest first, without those that did not
   * arrive, those of a crisis, those before consent and those that retention cleared. The query
   * avoids an EXISTS beside an OR, for which PostgreSQL reads the whole outbox if it takes the
   * table for small.
   */
  @Query(
      """
      SELECT m.id, m.seq, m.role, m.content, m.turn, m.created_at FROM message m
      WHERE m.participant_id = :participantId AND m.incident_id IS NULL AND m.before_consent = FALSE
        AND m.cleared_at IS NULL
        AND (m.role <> 'assistant'
             OR COALESCE((SELECT MIN(CASE WHEN o.status IN ('refused', 'failed', 'undelivered', 'canceled')
                                     THEN 1 ELSE 0 END)
                          FROM outbox o WHERE o.message_id = m.id), 0) = 0)
      ORDER BY m.participant_id DESC, m.seq DESC LIMIT :most\
      """)
  List<Said> newestSaid(String participantId, int most);

  @Query(
      "SELECT * FROM message WHERE participant_id = :participantId AND turn = :turn ORDER BY seq")
  List<Row> ofTurn(String participantId, int turn);

  @Query(
      """
      SELECT * FROM message
      WHERE participant_id = :participantId AND turn IN (:turns) AND role = 'assistant' ORDER BY seq\
      """)
  List<Row> saidIn(String participantId, List<Integer> turns);

  @Query(
      "SELECT * FROM message WHERE participant_id = :participantId AND id IN (:ids) ORDER BY seq")
  List<Row> these(String participantId, List<String> ids);

  /** Returns these messages, without those of incidents and those that retention cleared. */
  @Query("SELECT * FROM message WHERE id IN (:ids) AND incident_id IS NULL AND cleared_at IS NULL")
  List<Row> outsideIncidents(List<String> ids);

  /** Returns these messages, without those that retention cleared. */
  @Query(
      """
      SELECT * FROM message WHERE participant_id = :participantId AND seq IN (:numbers) AND cleared_at IS NULL\
      """)
  List<Row> numbered(String participantId, List<Long> numbers);

  @Query(
      """
      SELECT * FROM message WHERE participant_id = :participantId
        AND (incident_id = :incidentId
             OR id IN (SELECT e.message_id FROM incident_entry e
                       WHERE e.incident_id = :incidentId AND e.kind = 'released'))
      ORDER BY seq\
      """)
  List<Row> ofIncident(String participantId, String incidentId);

  @Query("DELETE FROM message WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A message as a model sees it: who wrote what, and when. */
  @MappedEntity
  record Said(
      @Id String id,
      long seq,
      @StoredAsWord MessageRole role,
      String content,
      int turn,
      Instant createdAt) {}

  /**
   * A row as stored.
   *
   * @param oneOfMany whether staff wrote it to many participants at once, so that it does not count
   *     as a reply
   */
  @MappedEntity("message")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String id,
      String participantId,
      @StoredAsWord MessageRole role,
      String content,
      @StoredAsWord ChannelKind channel,
      int turn,
      @StoredAsWord Author author,
      Instant createdAt,
      @Nullable String authorName,
      @Nullable String incidentId,
      boolean beforeConsent,
      boolean oneOfMany) {}
}
