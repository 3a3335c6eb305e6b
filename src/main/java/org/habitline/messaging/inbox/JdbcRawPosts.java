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

  /** A row as stored. */
  @MappedEntity("raw_post")
  record Row(
      @Id String providerId, @Nullable String participantId, Instant storedAt, String content) {}
}
