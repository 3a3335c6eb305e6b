package org.habitline.conversation.flags;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.habitline.tools.FlagKind;
import org.jspecify.annotations.Nullable;

/** Rows of flags. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcFlags extends GenericRepository<JdbcFlags.Row, String> {

  Row save(Row flag);

  @Query("SELECT * FROM staff_flag WHERE id = :id")
  Optional<Row> find(String id);

  /** Counts that an open flag of this kind was raised once more; returns 0 if there is none. */
  @Query(
      """
      UPDATE staff_flag SET times = times + 1, last_turn = :turn, last_at = :at
      WHERE participant_id = :participantId AND kind = :what AND status = 'open'\
      """)
  int again(String participantId, @StoredAsWord FlagKind what, int turn, Instant at);

  @Query("SELECT * FROM staff_flag WHERE status = 'open' ORDER BY raised_at, id LIMIT :most")
  List<Row> open(int most);

  @Query(
      "SELECT * FROM staff_flag WHERE status = 'closed' ORDER BY raised_at DESC, id DESC LIMIT :most")
  List<Row> closed(int most);

  @Query(
      """
      UPDATE staff_flag SET status = 'closed', closed_at = :at, closed_by = :by, note = :why
      WHERE id = :id AND status = 'open'\
      """)
  int close(String id, Instant at, String by, String why);

  @Query("DELETE FROM staff_flag WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("staff_flag")
  record Row(
      @Id String id,
      String participantId,
      @StoredAsWord FlagKind kind,
      @StoredAsWord FlagStatus status,
      int turn,
      Instant raisedAt,
      int lastTurn,
      Instant lastAt,
      int times,
      @Nullable Instant closedAt,
      @Nullable String closedBy,
      @Nullable String note) {

    Flag flag() {
      return new Flag(
          id,
          participantId,
          kind,
          status,
          turn,
          raisedAt,
          lastTurn,
          lastAt,
          times,
          closedAt,
          closedBy,
          note);
    }
  }
}
