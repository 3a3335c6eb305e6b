package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of texts from senders whom nobody enrolled. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcUnclaimed extends GenericRepository<JdbcUnclaimed.Row, Long> {

  @Query(
      """
      INSERT INTO unclaimed_text (provider_id, channel, sender, body, raw, received_at)
      VALUES (:providerId, :channel, :sender, :body, :raw, :now)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String providerId,
      String channel,
      String sender,
      String body,
      @Nullable String raw,
      Instant now);

  @Query(
      """
      SELECT seq, provider_id, channel, sender, body, received_at FROM unclaimed_text
      WHERE seq < :before ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newest(long before, int most);

  @Query("UPDATE unclaimed_text SET raw = NULL WHERE raw IS NOT NULL AND received_at < :before")
  int clearRaw(Instant before);

  /** A row as stored, without what the provider posted. */
  @MappedEntity("unclaimed_text")
  record Row(
      @Id long seq,
      String providerId,
      String channel,
      String sender,
      String body,
      Instant receivedAt) {}
}
