package org.habitline.study.fidelity;

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
import org.jspecify.annotations.Nullable;

/** Rows of deviations. Only {@link Fidelity} uses it; others use its {@link Deviation}. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcDeviations extends GenericRepository<JdbcDeviations.Deviation, Long> {

  /**
   * Stores what differed for a participant; does nothing if it is known, or if the participant is
   * being erased.
   */
  @Query(
      """
      INSERT INTO deviation (dedup_key, participant_id, kind, local_date, slot, turn, reason, state, found_at)
      SELECT CAST(:dedupKey AS varchar(200)), p.id, CAST(:what AS varchar(32)), CAST(:day AS varchar(10)),
             CAST(:place AS integer), CAST(:number AS integer), CAST(:why AS varchar(64)), 'open',
             CAST(:now AS timestamp(6) with time zone)
      FROM participant p WHERE p.id = :whose AND p.erasing = 'no'
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String dedupKey,
      String whose,
      @StoredAsWord DeviationKind what,
      String day,
      @Nullable Integer place,
      @Nullable Integer number,
      @Nullable String why,
      Instant now);

  /** Stores what differed for the study; does nothing if it is known. */
  @Query(
      """
      INSERT INTO deviation (dedup_key, kind, local_date, reason, state, found_at)
      VALUES (:dedupKey, :what, :day, :why, 'open', :now) ON CONFLICT DO NOTHING\
      """)
  int insertOfStudy(
      String dedupKey,
      @StoredAsWord DeviationKind what,
      String day,
      @Nullable String why,
      Instant now);

  @Query("SELECT * FROM deviation WHERE seq = :seq")
  Optional<Deviation> find(long seq);

  /**
   * Returns deviations of some days, newest first.
   *
   * @param what the word of a kind, or empty for all
   * @param standing the word of a state, or empty for all
   */
  @Query(
      """
      SELECT * FROM deviation
      WHERE local_date >= :first AND local_date <= :last AND seq < :before
        AND (:what = '' OR kind = :what) AND (:standing = '' OR state = :standing)
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Deviation> list(
      String first, String last, long before, String what, String standing, int most);

  @Query("SELECT COUNT(*) FROM deviation WHERE local_date = :day AND state = 'open'")
  int open(String day);

  @Query(
      """
      UPDATE deviation SET state = :standing, note = :why, decided_at = :now, decided_by = :who
      WHERE seq = :seq AND state = 'open'\
      """)
  int decide(long seq, @StoredAsWord DeviationState standing, String why, Instant now, String who);

  @Query("DELETE FROM deviation WHERE participant_id = :whose")
  int erase(String whose);

  /**
   * What differed from the plan of the study. It holds no words of the participant.
   *
   * @param participantId {@code null} if it concerns the study
   * @param localDate the day: of a daily prompt the participant's, otherwise the study's
   * @param slot of a daily prompt
   * @param turn the turn, if there was one
   * @param reason a word or a short text: why a prompt was missed, how a turn ended, the model that
   *     answered, the prompt file
   * @param note what the staff member who decided wrote
   */
  @MappedEntity("deviation")
  @Schema(name = "Deviation")
  record Deviation(
      @Id long seq,
      @Nullable String participantId,
      @StoredAsWord DeviationKind kind,
      @Schema(format = "date") String localDate,
      @Nullable Integer slot,
      @Nullable Integer turn,
      @Nullable String reason,
      @StoredAsWord DeviationState state,
      @Nullable String note,
      Instant foundAt,
      @Nullable Instant decidedAt,
      @Nullable String decidedBy) {}
}
