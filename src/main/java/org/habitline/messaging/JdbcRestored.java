package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The single row that says that the database is a restored backup. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcRestored extends GenericRepository<JdbcRestored.Row, Integer> {

  @Query("SELECT * FROM restored WHERE id = 1")
  Optional<Row> find();

  @Query("DELETE FROM restored WHERE id = 1")
  int delete();

  @Query(
      """
      INSERT INTO restored (id, made_at, skips, inbox_seq, outbox_seq)
      VALUES (1, :madeAt, FALSE, 0, 0) ON CONFLICT DO NOTHING\
      """)
  int insert(Instant madeAt);

  @Query(
      """
      UPDATE restored SET decided_at = :now, skips = :skips, due_until = :dueUntil,
             inbox_seq = (SELECT COALESCE(MAX(i.seq), 0) FROM inbox i),
             outbox_seq = (SELECT COALESCE(MAX(o.seq), 0) FROM outbox o)
      WHERE id = 1 AND decided_at IS NULL\
      """)
  int decide(Instant now, boolean skips, Instant dueUntil);

  @Query("SELECT MAX(at) FROM event")
  Optional<Instant> newestEvent();

  /**
   * A row as stored.
   *
   * @param decidedAt when staff decided (system time), or {@code null}
   * @param skips whether what waited then is skipped
   * @param dueUntil study time until which wake-ups had become due then, or {@code null}
   */
  @MappedEntity("restored")
  record Row(
      @Id int id,
      Instant madeAt,
      @Nullable Instant decidedAt,
      boolean skips,
      long inboxSeq,
      long outboxSeq,
      @Nullable Instant dueUntil) {}
}
