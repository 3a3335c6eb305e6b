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

/** Rows of the event table, and of whom somebody watches. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcEvents extends GenericRepository<JdbcEvents.Row, Long> {

  @Query(
      "INSERT INTO event (at, type, participant_id, payload) VALUES (:at, :type, :participantId, :payload)")
  void insert(Instant at, String type, @Nullable String participantId, String payload);

  /** Inserts one for each of these participants, in their order. */
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

  /** Inserts different ones, in their order; a column each. */
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

  @Query("DELETE FROM event WHERE at < :before")
  int deleteBefore(Instant before);

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
