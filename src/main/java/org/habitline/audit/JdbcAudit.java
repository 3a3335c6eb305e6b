package org.habitline.audit;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of the audit log. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAudit extends GenericRepository<JdbcAudit.Row, Long> {

  @Query(
      """
      INSERT INTO audit_event (at, study_at, actor, role, action, participant_id, subject, old_value, new_value, reason)
      VALUES (:at, :studyAt, :actor, :role, :action, :participantId, :subject, :oldValue, :newValue, :reason)\
      """)
  void insert(
      Instant at,
      Instant studyAt,
      String actor,
      String role,
      String action,
      @Nullable String participantId,
      @Nullable String subject,
      @Nullable String oldValue,
      @Nullable String newValue,
      @Nullable String reason);

  @Query(
      """
      UPDATE audit_event SET old_value = NULL, new_value = NULL, reason = NULL
      WHERE participant_id = :participantId\
      """)
  int redact(String participantId);

  /** Returns entries before a place, newest first; a blank filter does not restrict them. */
  @Query(
      """
      SELECT * FROM audit_event
      WHERE seq < :before AND (:everyone = TRUE OR participant_id IN (:participantIds))
        AND at >= :first AND at < :finish AND (:actor = '' OR actor = :actor) AND (:action = '' OR action = :action)
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newest(
      boolean everyone,
      List<String> participantIds,
      String actor,
      String action,
      Instant first,
      Instant finish,
      long before,
      int most);

  @Query("SELECT DISTINCT action FROM audit_event ORDER BY action")
  List<String> actions();

  /** A row as stored. */
  @MappedEntity("audit_event")
  record Row(
      @Id long seq,
      Instant at,
      String actor,
      String role,
      String action,
      @Nullable String participantId,
      @Nullable String subject,
      @Nullable String oldValue,
      @Nullable String newValue,
      @Nullable String reason) {}
}
