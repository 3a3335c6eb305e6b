package org.habitline.conversation.takeover;

import io.micronaut.core.annotation.Introspected;
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

/** Rows of takeovers and of the intervals in which debug messages were on. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcTakeovers extends GenericRepository<JdbcTakeovers.DebugInterval, Long> {

  @Query(
      """
      UPDATE participant_state SET muted_until = :until, muted_by = :by
      WHERE participant_id = :participantId\
      """)
  int mute(String participantId, @Nullable Instant until, @Nullable String by);

  @Query(
      """
      SELECT muted_until, muted_by FROM participant_state
      WHERE participant_id = :participantId AND muted_until > :now\
      """)
  Optional<Mute> muted(String participantId, Instant now);

  @Query(
      """
      INSERT INTO debug_interval (participant_id, started_at, until_at, started_by, reason)
      VALUES (:participantId, :startedAt, :untilAt, :startedBy, :reason)\
      """)
  void debug(
      String participantId,
      Instant startedAt,
      Instant untilAt,
      String startedBy,
      @Nullable String reason);

  @Query(
      """
      UPDATE debug_interval SET ended_at = :now, ended_by = :by
      WHERE participant_id = :participantId AND until_at > :now AND ended_at IS NULL\
      """)
  int endDebug(String participantId, String by, Instant now);

  @Query(
      """
      SELECT * FROM debug_interval
      WHERE participant_id = :participantId AND until_at > :now AND ended_at IS NULL
      ORDER BY until_at DESC LIMIT 1\
      """)
  Optional<DebugInterval> debugging(String participantId, Instant now);

  @Query(
      """
      SELECT * FROM debug_interval WHERE participant_id = :participantId AND seq < :before
      ORDER BY seq DESC LIMIT :most\
      """)
  List<DebugInterval> debugIntervals(String participantId, long before, int most);

  @Query("DELETE FROM debug_interval WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Who took a conversation over, and until when. */
  @Introspected
  record Mute(Instant mutedUntil, @Nullable String mutedBy) {}

  /** A row as stored. */
  @MappedEntity("debug_interval")
  record DebugInterval(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      Instant startedAt,
      Instant untilAt,
      String startedBy,
      @Nullable String reason,
      @Nullable Instant endedAt,
      @Nullable String endedBy) {}
}
