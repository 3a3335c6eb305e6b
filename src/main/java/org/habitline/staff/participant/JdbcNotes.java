package org.habitline.staff.participant;

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

/** Rows of notes. Only {@link Notes} uses it. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcNotes extends GenericRepository<JdbcNotes.Row, Long> {

  Row save(Row note);

  @Query("SELECT * FROM staff_note WHERE participant_id = :participantId AND id = :id")
  Optional<Row> find(String participantId, String id);

  /** Returns notes before a place, newest first. */
  @Query(
      """
      SELECT * FROM staff_note WHERE participant_id = :participantId AND seq < :before
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, long before, int most);

  @Query("UPDATE staff_note SET body = :body, edited_at = :at, edited_by = :by WHERE id = :id")
  int edit(String id, String body, Instant at, String by);

  @Query("DELETE FROM staff_note WHERE id = :id")
  int remove(String id);

  @Query("DELETE FROM staff_note WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("staff_note")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String id,
      String participantId,
      String body,
      String writtenBy,
      Instant writtenAt,
      @Nullable Instant editedAt,
      @Nullable String editedBy) {}
}
