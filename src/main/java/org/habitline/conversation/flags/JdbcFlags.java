package org.habitline.conversation.flags;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.habitline.tools.FlagKind;
import org.jspecify.annotations.Nullable;

/** Keeps flags. Only {@link Flags} uses it; others use its {@link Flag}. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcFlags extends GenericRepository<JdbcFlags.Flag, String> {

  Flag save(Flag flag);

  @Query("SELECT * FROM staff_flag WHERE id = :id")
  Optional<Flag> find(String id);

  /**
   * Counts that an open flag of this kind was raised in one more turn, and counts each turn once;
   * returns 0 if there is none.
   */
  @Query(
      """
      UPDATE staff_flag SET times = times + CASE WHEN last_turn = :turn THEN 0 ELSE 1 END,
      last_turn = :turn, last_at = :at
      WHERE participant_id = :participantId AND kind = :what AND status = 'open'\
      """)
  int again(String participantId, @StoredAsWord FlagKind what, int turn, Instant at);

  @Query("SELECT * FROM staff_flag WHERE status = 'open' ORDER BY raised_at, id LIMIT :most")
  List<Flag> open(int most);

  @Query(
      "SELECT * FROM staff_flag WHERE status = 'closed' ORDER BY raised_at DESC, id DESC LIMIT :most")
  List<Flag> closed(int most);

  @Query(
      """
      UPDATE staff_flag SET status = 'closed', closed_at = :at, closed_by = :by, note = :why
      WHERE id = :id AND status = 'open'\
      """)
  int close(String id, Instant at, String by, String why);

  @Query("DELETE FROM staff_flag WHERE participant_id = :participantId")
  int erase(String participantId);

  /**
   * What the coach flagged for staff. It holds no words of the participant; times are study time.
   *
   * @param turn the turn in which it was raised first
   * @param lastTurn the turn in which it was raised last
   * @param times in how many turns it was raised while it was open
   * @param note what the staff member who closed it wrote
   */
  @MappedEntity("staff_flag")
  @Schema(name = "StaffFlag")
  record Flag(
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
      @Nullable String note) {}
}
