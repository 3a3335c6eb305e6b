package org.habitline.messaging.inbox;

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
import org.jspecify.annotations.Nullable;

/** Rows of what providers posted, unchanged. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcRawPosts extends GenericRepository<JdbcRawPosts.Row, String> {

  @Query(
      """
      INSERT INTO raw_post (provider_id, participant_id, stored_at, content)
      VALUES (:providerId, :participantId, :storedAt, :content)
      ON CONFLICT DO NOTHING\
      """)
  int insert(String providerId, @Nullable String participantId, Instant storedAt, String content);

  /** Inserts several rows; one array for each column. */
  @Query(
      """
      INSERT INTO raw_post (provider_id, participant_id, stored_at, content)
      SELECT t.provider_id, t.participant_id, CAST(:storedAt AS timestamp(6) with time zone), t.content
      FROM UNNEST(CAST(:providerIds AS varchar ARRAY), CAST(:participantIds AS varchar ARRAY),
                  CAST(:contents AS varchar ARRAY))
           AS t (provider_id, participant_id, content)
      ON CONFLICT DO NOTHING\
      """)
  int insertAll(
      @TypeDef(type = DataType.STRING_ARRAY) String[] providerIds,
      @TypeDef(type = DataType.STRING_ARRAY) String[] participantIds,
      @TypeDef(type = DataType.STRING_ARRAY) String[] contents,
      Instant storedAt);

  /** Returns the oldest rows from before an instant. */
  @Query(
      """
      SELECT r.provider_id FROM raw_post r WHERE r.stored_at < :before ORDER BY r.stored_at LIMIT :most\
      """)
  List<String> from(Instant before, int most);

  @Query("DELETE FROM raw_post WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Returns the ids of unclaimed texts that were claimed for a participant. */
  @Query("SELECT u.provider_id FROM unclaimed_text u WHERE u.participant_id = :participantId")
  List<String> claimed(String participantId);

  @Query("DELETE FROM raw_post WHERE provider_id IN (:providerIds)")
  int eraseThese(List<String> providerIds);

  /** Returns some rows of texts of which only the id was kept. */
  @Query(
      """
      SELECT u.provider_id FROM unclaimed_text u JOIN raw_post r ON r.provider_id = u.provider_id
      WHERE u.status = 'erased' LIMIT :most\
      """)
  List<String> ofErased(int most);

  /** Returns the participants erased since then, by any node. */
  @Query(
      """
      SELECT DISTINCT e.participant_id FROM audit_event e
      WHERE e.action = 'participant erased' AND e.at > :since AND e.participant_id IS NOT NULL\
      """)
  List<String> erasedSince(Instant since);

  /** Returns the last of the next texts, or empty if there are none. */
  @Query(
      "SELECT MAX(n.seq) FROM (SELECT i.seq FROM inbox i WHERE i.seq > :after ORDER BY i.seq LIMIT :most) n")
  Optional<Long> lastText(long after, int most);

  /** Locks texts of a range that still hold what was posted; skips those that are locked. */
  @Query(
      """
      SELECT i.seq FROM inbox i WHERE i.seq > :after AND i.seq <= :upTo AND i.raw IS NOT NULL
      ORDER BY i.seq FOR UPDATE SKIP LOCKED\
      """)
  List<Long> holdTexts(long after, long upTo);

  @Query(
      """
      INSERT INTO raw_post (provider_id, participant_id, stored_at, content)
      SELECT i.provider_id, i.participant_id, i.stored_at, i.raw FROM inbox i
      WHERE i.seq IN (:seqs) AND i.raw IS NOT NULL AND i.stored_at >= :since
      ON CONFLICT DO NOTHING\
      """)
  int copyTexts(List<Long> seqs, Instant since);

  @Query("UPDATE inbox SET raw = NULL WHERE seq IN (:seqs)")
  int clearTexts(List<Long> seqs);

  /** Returns the first text of a range that still holds what was posted. */
  @Query("SELECT MIN(seq) FROM inbox WHERE seq > :after AND seq <= :upTo AND raw IS NOT NULL")
  Optional<Long> leftText(long after, long upTo);

  /** Returns the last of the next unclaimed texts, or empty if there are none. */
  @Query(
      """
      SELECT MAX(n.seq) FROM
          (SELECT u.seq FROM unclaimed_text u WHERE u.seq > :after ORDER BY u.seq LIMIT :most) n\
      """)
  Optional<Long> lastUnclaimed(long after, int most);

  @Query(
      """
      SELECT u.seq FROM unclaimed_text u WHERE u.seq > :after AND u.seq <= :upTo AND u.raw IS NOT NULL
      ORDER BY u.seq FOR UPDATE SKIP LOCKED\
      """)
  List<Long> holdUnclaimed(long after, long upTo);

  @Query(
      """
      INSERT INTO raw_post (provider_id, participant_id, stored_at, content)
      SELECT u.provider_id, u.participant_id, u.received_at, u.raw FROM unclaimed_text u
      WHERE u.seq IN (:seqs) AND u.raw IS NOT NULL AND u.received_at >= :since
      ON CONFLICT DO NOTHING\
      """)
  int copyUnclaimed(List<Long> seqs, Instant since);

  @Query("UPDATE unclaimed_text SET raw = NULL WHERE seq IN (:seqs)")
  int clearUnclaimed(List<Long> seqs);

  @Query(
      "SELECT MIN(seq) FROM unclaimed_text WHERE seq > :after AND seq <= :upTo AND raw IS NOT NULL")
  Optional<Long> leftUnclaimed(long after, long upTo);

  /** A row as stored. */
  @MappedEntity("raw_post")
  record Row(
      @Id String providerId, @Nullable String participantId, Instant storedAt, String content) {}
}
