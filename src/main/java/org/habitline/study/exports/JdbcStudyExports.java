package org.habitline.study.exports;

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
import org.jspecify.annotations.Nullable;

/** Rows of exports of the study. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcStudyExports extends GenericRepository<JdbcStudyExports.Row, String> {

  @Query(
      """
      INSERT INTO study_export (id, status, scope, spreadsheet, asked_by, asked_at, moved_at, tables_done, rows_done)
      VALUES (:id, 'running', :scope, :spreadsheet, :by, :now, :now, 0, 0)\
      """)
  int insert(
      String id, @StoredAsWord ExportScope scope, boolean spreadsheet, String by, Instant now);

  @Query(
      """
      UPDATE study_export SET tables_done = :tables, rows_done = :count, moved_at = :now
      WHERE id = :id AND status = 'running'\
      """)
  int moved(String id, int tables, long count, Instant now);

  @Query(
      """
      UPDATE study_export SET status = 'ready', tables_done = :tables, rows_done = :count, bytes = :size,
             moved_at = :now, finished_at = :now
      WHERE id = :id AND status = 'running'\
      """)
  int ready(String id, int tables, long count, long size, Instant now);

  @Query(
      """
      UPDATE study_export SET status = 'failed', failure = :why, finished_at = :now
      WHERE id = :id AND status = 'running'\
      """)
  int failed(String id, @StoredAsWord ExportFailure why, Instant now);

  /** Marks as interrupted what has not moved since then. */
  @Query(
      """
      UPDATE study_export SET status = 'failed', failure = 'interrupted', finished_at = :now
      WHERE status = 'running' AND moved_at <= :since\
      """)
  int interrupted(Instant since, Instant now);

  @Query(
      "UPDATE study_export SET status = 'deleted' WHERE status = 'ready' AND finished_at < :before")
  int expired(Instant before);

  /** Marks every file as deleted, also those that are being written. */
  @Query(
      "UPDATE study_export SET status = 'deleted' WHERE status = ANY (ARRAY['running', 'ready'])")
  int deleteAll();

  @Query("SELECT * FROM study_export WHERE id = :id")
  Optional<Row> find(String id);

  @Query("SELECT * FROM study_export WHERE seq < :before ORDER BY seq DESC LIMIT :most")
  List<Row> newest(long before, int most);

  @Query(
      """
      SELECT * FROM study_export WHERE seq < :before AND scope = 'deidentified'
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newestDeidentified(long before, int most);

  /** A row of {@code study_export}. */
  @MappedEntity("study_export")
  record Row(
      @Id String id,
      long seq,
      @StoredAsWord ExportStatus status,
      @StoredAsWord @Nullable ExportFailure failure,
      @StoredAsWord ExportScope scope,
      boolean spreadsheet,
      String askedBy,
      Instant askedAt,
      Instant movedAt,
      @Nullable Instant finishedAt,
      int tablesDone,
      long rowsDone,
      @Nullable Long bytes) {}
}
