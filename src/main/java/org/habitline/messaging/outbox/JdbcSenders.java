package org.habitline.messaging.outbox;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of senders, one for each channel. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSenders extends GenericRepository<JdbcSenders.Row, String> {

  @Query("INSERT INTO sender (channel) VALUES (:channel) ON CONFLICT DO NOTHING")
  int insert(@StoredAsWord ChannelKind channel);

  @Query(
      """
      UPDATE sender SET owner = :owner, held_until = :until
      WHERE channel = :channel AND (owner = :owner OR held_until IS NULL OR held_until <= :now)\
      """)
  int hold(@StoredAsWord ChannelKind channel, String owner, Instant until, Instant now);

  @Query("UPDATE sender SET owner = NULL, held_until = NULL WHERE owner = :owner")
  int release(String owner);

  @Query("UPDATE sender SET owner = NULL, held_until = NULL")
  int releaseAll();

  @Query(
      """
      UPDATE sender SET stopped_at = COALESCE(stopped_at, :now), stopped_code = :code, try_at = :tryAt,
             by_report = :byReport, taken_at = NULL
      WHERE channel = :channel\
      """)
  int stop(
      @StoredAsWord ChannelKind channel, String code, boolean byReport, Instant now, Instant tryAt);

  /** Records that a sender accepted a message while its failures come in later reports. */
  @Query(
      """
      UPDATE sender SET taken_at = COALESCE(taken_at, :now)
      WHERE channel = :channel AND stopped_at IS NOT NULL AND by_report = TRUE\
      """)
  int took(@StoredAsWord ChannelKind channel, Instant now);

  /** Makes the next try of a stopped sender due at once. */
  @Query("UPDATE sender SET try_at = :now WHERE channel = :channel AND stopped_at IS NOT NULL")
  int tryNow(@StoredAsWord ChannelKind channel, Instant now);

  @Query("UPDATE sender SET try_at = :tryAt WHERE channel = :channel AND stopped_at IS NOT NULL")
  int triedAgainAt(@StoredAsWord ChannelKind channel, Instant tryAt);

  @Query(
      """
      UPDATE sender SET stopped_at = NULL, stopped_code = NULL, try_at = NULL, by_report = FALSE, taken_at = NULL
      WHERE channel = :channel AND stopped_at IS NOT NULL\
      """)
  int works(@StoredAsWord ChannelKind channel);

  /** Returns 1 if the sender was stopped at or before this instant and still is. */
  @Query("SELECT COUNT(*) FROM sender WHERE channel = :channel AND stopped_at <= :at")
  int stoppedBefore(@StoredAsWord ChannelKind channel, Instant at);

  @Query("SELECT * FROM sender WHERE channel = :channel")
  Optional<Row> find(@StoredAsWord ChannelKind channel);

  @Query("SELECT * FROM sender WHERE stopped_at IS NOT NULL ORDER BY channel")
  List<Row> stopped();

  /** A row as stored. */
  @MappedEntity("sender")
  record Row(
      @Id @StoredAsWord ChannelKind channel,
      @Nullable String owner,
      @Nullable Instant heldUntil,
      @Nullable Instant stoppedAt,
      boolean byReport,
      @Nullable Instant takenAt,
      @Nullable String stoppedCode,
      @Nullable Instant tryAt) {}
}
