package org.habitline.audit;

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
import org.jspecify.annotations.Nullable;

/** Rows of the event table, and of the table of watched participants. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcEvents extends GenericRepository<JdbcEvents.Row, Long> {

  @Query(
      "INSERT INTO event (at, type, participant_id, payload) VALUES (:at, :type, :participantId, :payload)")
  void insert(Instant at, String type, @Nullable String participantId, String payload);

  /** Inserts an event for each of these participants, in order. */
  @Query(
      """
      INSERT INTO event (at, type, participant_id, payload)
      SELECT CAST(:at AS timestamp(6) with time zone), :type, t.participant_id, :payload
      FROM UNNEST(CAST(:participantIds AS varchar ARRAY)) WITH ORDINALITY AS t (participant_id, place)
      ORDER BY t.place\
      """)
  void insertForEach(
      Instant at,
      String type,
      @TypeDef(type = DataType.STRING_ARRAY) String[] participantIds,
      String payload);

  /** Inserts different events, in order; one array for each column. */
  @Query(
      """
      INSERT INTO event (at, type, participant_id, payload)
      SELECT CAST(:at AS timestamp(6) with time zone), t.type, t.participant_id, t.payload
      FROM UNNEST(CAST(:types AS varchar ARRAY), CAST(:participantIds AS varchar ARRAY),
                  CAST(:payloads AS varchar ARRAY))
           WITH ORDINALITY AS t (type, participant_id, payload, place)
      ORDER BY t.place\
      """)
  void insertAll(
      Instant at,
      @TypeDef(type = DataType.STRING_ARRAY) String[] types,
      @TypeDef(type = DataType.STRING_ARRAY) @Nullable String[] participantIds,
      @TypeDef(type = DataType.STRING_ARRAY) String[] payloads);

  @Query("SELECT * FROM event WHERE seq > :seq ORDER BY seq LIMIT :most")
  List<Row> after(long seq, int most);

  @Query("SELECT COALESCE(MAX(seq), 0) FROM event")
  long newest();

  /** Returns the ids of a range that exist, lowest first. */
  @Query("SELECT seq FROM event WHERE seq > :after AND seq <= :last ORDER BY seq")
  List<Long> ids(long after, long last);

  /** Returns those of these events that exist. */
  @Query("SELECT * FROM event WHERE seq IN (:seqs) ORDER BY seq")
  List<Row> these(List<Long> seqs);

  /** Returns the number below which every transaction has ended; PostgreSQL only. */
  @Query("SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)")
  long endedBelow();

  /** Returns a number higher than that of every transaction that has one; PostgreSQL only. */
  @Query("SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)")
  long begunBelow();

  /**
   * Returns how many transactions are writing an event at this moment and may have an id for it,
   * but no number yet; PostgreSQL only.
   */
  @Query(
      """
      SELECT COUNT(*) FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.state = 'active' AND a.backend_xid IS NULL
        AND a.query LIKE 'INSERT INTO event %'\
      """)
  long writingUnnumbered();

  /** Returns which of the first events are from before an instant. */
  @Query(
      """
      SELECT f.seq FROM (SELECT e.seq, e.at FROM event e ORDER BY e.seq LIMIT :most) f WHERE f.at < :before\
      """)
  List<Long> from(Instant before, int most);

  @Query("DELETE FROM event WHERE seq IN (:seqs)")
  int delete(List<Long> seqs);

  @Query("DELETE FROM event WHERE participant_id = :participantId")
  int erase(String participantId);

  @Query("UPDATE watched SET watched_until = :until WHERE participant_id = :participantId")
  int watchOn(String participantId, Instant until);

  @Query(
      "INSERT INTO watched (participant_id, watched_until) VALUES (:participantId, :until) ON CONFLICT DO NOTHING")
  int watch(String participantId, Instant until);

  @Query("DELETE FROM watched WHERE watched_until < :before")
  int forgetWatched(Instant before);

  @Query("DELETE FROM watched WHERE participant_id = :participantId")
  int eraseWatched(String participantId);

  /** A row as stored. */
  @MappedEntity("event")
  record Row(
      @Id long seq, Instant at, String type, @Nullable String participantId, String payload) {}
}
