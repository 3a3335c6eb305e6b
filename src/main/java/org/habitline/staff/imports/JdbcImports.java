package org.habitline.staff.imports;

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
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Stores imports and their rows. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcImports extends GenericRepository<JdbcImports.Row, String> {

  @Query(
      """
      INSERT INTO participant_import (id, status, actor, role, row_count, created_at, unknown_columns)
      VALUES (:id, :status, :actor, :role, :rowCount, :now, :unknownColumns)\
      """)
  void insert(
      String id,
      @StoredAsWord ImportStatus status,
      String actor,
      String role,
      int rowCount,
      Instant now,
      @Nullable String unknownColumns);

  /**
   * Records that a list which is not confirmed was corrected; returns 0 if it was confirmed, or
   * corrected by somebody else since this version was read.
   */
  @Query(
      """
      UPDATE participant_import
      SET status = 'previewed', unknown_columns = NULL, defaults = :defaults, version = version + 1, created_at = :now
      WHERE id = :id AND version = :version AND status = ANY (ARRAY['unmapped', 'previewed'])\
      """)
  int revise(String id, int version, @Nullable String defaults, Instant now);

  @Query(
      "SELECT * FROM participant_import_row WHERE import_id = :importId AND number IN (:numbers)")
  List<Line> these(String importId, List<Integer> numbers);

  /** Returns a page of the rows of a list that need staff: with a problem, or left out. */
  @Query(
      """
      SELECT * FROM participant_import_row
      WHERE import_id = :importId AND number > :after
        AND (status = ANY (ARRAY['error', 'duplicate', 'left_out']) OR (status = 'waiting' AND message IS NOT NULL))
      ORDER BY number LIMIT :most\
      """)
  List<Line> toCorrect(String importId, long after, int most);

  /** Inserts rows; each array is a column. */
  @Query(
      """
      INSERT INTO participant_import_row (import_id, number, status, content, message, warnings)
      SELECT :importId, CAST(t.number AS integer), t.status, t.content, t.message, t.warnings
      FROM UNNEST(CAST(:numbers AS varchar ARRAY), CAST(:statuses AS varchar ARRAY),
                  CAST(:contents AS varchar ARRAY), CAST(:messages AS varchar ARRAY),
                  CAST(:warnings AS varchar ARRAY))
           AS t (number, status, content, message, warnings)\
      """)
  int insertRows(
      String importId,
      @TypeDef(type = DataType.STRING_ARRAY) String[] numbers,
      @TypeDef(type = DataType.STRING_ARRAY) String[] statuses,
      @TypeDef(type = DataType.STRING_ARRAY) @Nullable String[] contents,
      @TypeDef(type = DataType.STRING_ARRAY) @Nullable String[] messages,
      @TypeDef(type = DataType.STRING_ARRAY) @Nullable String[] warnings);

  @Query("SELECT * FROM participant_import WHERE id = :id AND status <> 'forgotten'")
  Optional<Row> find(String id);

  @Query(
      """
      SELECT * FROM participant_import WHERE status NOT IN ('unmapped', 'previewed', 'forgotten') AND seq < :before
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newest(long before, int most);

  @Query(
      """
      SELECT import_id, status, COUNT(*) AS count FROM participant_import_row
      WHERE import_id IN (:ids) GROUP BY import_id, status\
      """)
  List<Tally> tallies(List<String> ids);

  @Query(
      """
      SELECT * FROM participant_import_row WHERE import_id = :importId AND number > :after
      ORDER BY number LIMIT :most\
      """)
  List<Line> rows(String importId, long after, int most);

  /** Returns how many rows of a previewed list had a number or study id that was taken. */
  @Query(
      """
      SELECT COUNT(*) FROM participant_import_row
      WHERE import_id = :importId AND status = 'waiting' AND message IS NOT NULL\
      """)
  int taken(String importId);

  @Query("SELECT COUNT(*) FROM participant_import WHERE status = 'running'")
  int running();

  /**
   * Returns the oldest running import that no other node is working on, locked until the commit.
   */
  @Query(
      """
      SELECT * FROM participant_import WHERE status = 'running' ORDER BY seq LIMIT 1
      FOR UPDATE SKIP LOCKED\
      """)
  Optional<Row> takeOldest();

  @Query(
      """
      SELECT * FROM participant_import_row WHERE import_id = :importId AND status = 'waiting'
      ORDER BY number LIMIT 1\
      """)
  Optional<Line> next(String importId);

  /** Stores the result of a row and deletes its personal data. */
  @Query(
      """
      UPDATE participant_import_row
      SET status = :status, content = NULL, participant_id = :participantId, message = :message,
          warnings = :warnings
      WHERE import_id = :importId AND number = :number AND status = 'waiting'\
      """)
  int decide(
      String importId,
      int number,
      @StoredAsWord ImportRowStatus status,
      @Nullable String participantId,
      @Nullable String message,
      @Nullable String warnings);

  @Query(
      "UPDATE participant_import SET status = 'done', finished_at = :now WHERE id = :id AND status = 'running'")
  int finish(String id, Instant now);

  /** Starts a previewed list in the name of the person who confirms it. */
  @Query(
      """
      UPDATE participant_import SET status = 'running', actor = :actor, role = :role
      WHERE id = :id AND status = 'previewed'\
      """)
  int confirm(String id, String actor, String role);

  /** Deletes the personal data of rows that will not be enrolled. */
  @Query(
      """
      UPDATE participant_import_row SET content = NULL
      WHERE import_id = :importId AND status <> 'waiting'\
      """)
  int forgetDecided(String importId);

  @Query("DELETE FROM participant_import WHERE id = :id AND status IN ('unmapped', 'previewed')")
  int discard(String id);

  @Query("DELETE FROM participant_import_row WHERE import_id = :importId")
  int discardRows(String importId);

  /** Returns the numbers of some rows of a list, to delete them in batches. */
  @Query(
      """
      SELECT r.number FROM participant_import_row r WHERE r.import_id = :importId ORDER BY r.number LIMIT :most\
      """)
  List<Integer> numbers(String importId, int most);

  @Query("DELETE FROM participant_import_row WHERE import_id = :importId AND number IN (:numbers)")
  int discardRows(String importId, List<Integer> numbers);

  /** Marks old previews for deletion; from then on they are neither shown nor confirmed. */
  @Query(
      """
      UPDATE participant_import SET status = 'forgotten' WHERE status IN ('unmapped', 'previewed') AND created_at < :before\
      """)
  int forgetPreviews(Instant before);

  @Query("SELECT id FROM participant_import WHERE status = 'forgotten'")
  List<String> forgotten();

  @Query("DELETE FROM participant_import WHERE id = :id AND status = 'forgotten'")
  int delete(String id);

  @Query(
      """
      UPDATE participant_import_row SET participant_id = NULL, content = NULL, message = NULL, warnings = NULL
      WHERE participant_id = :participantId\
      """)
  int forget(String participantId);

  /**
   * Returns the previewed lists that hold the participant's phone number. Compares the last seven
   * digits, which every way of writing the number contains.
   */
  @Query(
      """
      SELECT DISTINCT i.id FROM participant_import i JOIN participant_import_row r ON r.import_id = i.id
      WHERE i.status IN ('unmapped', 'previewed')
        AND REGEXP_REPLACE(r.content, '[^0-9]', '', 'g')
            LIKE (SELECT concat('%', RIGHT(a.phone, 7), '%') FROM participant p JOIN address a ON a.id = p.address_id
                  WHERE p.id = :participantId)\
      """)
  List<String> previewsWith(String participantId);

  @MappedEntity("participant_import")
  record Row(
      @Id String id,
      long seq,
      @StoredAsWord ImportStatus status,
      String actor,
      String role,
      int rowCount,
      Instant createdAt,
      @Nullable Instant finishedAt,
      @Nullable String defaults,
      @Nullable String unknownColumns,
      int version) {}

  @MappedEntity
  record Line(
      String importId,
      int number,
      @StoredAsWord ImportRowStatus status,
      @Nullable String content,
      @Nullable String participantId,
      @Nullable String message,
      @Nullable String warnings) {}

  /** How many rows of a list have a status. */
  @MappedEntity
  record Tally(String importId, @StoredAsWord ImportRowStatus status, int count) {}
}
