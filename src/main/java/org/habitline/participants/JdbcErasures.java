package org.habitline.participants;

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

/** Queries of erasures, which hold ids and times, and of the hashes of erased senders. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcErasures extends GenericRepository<JdbcErasures.Row, String> {

  @Query("DELETE FROM erasure WHERE participant_id = :participantId")
  int forget(String participantId);

  @Query(
      """
      INSERT INTO erasure (participant_id, status, keep_transcript, requested_at)
      VALUES (:participantId, 'waiting', :keepTranscript, :now)\
      """)
  int insert(String participantId, boolean keepTranscript, Instant now);

  @Query(
      """
      UPDATE erasure SET status = 'rewriting', erased_at = :now
      WHERE participant_id = :participantId AND status = 'waiting'\
      """)
  int erased(String participantId, Instant now);

  @Query(
      """
      UPDATE erasure SET status = 'done', done_at = :now
      WHERE participant_id = :participantId AND status = 'rewriting'\
      """)
  int done(String participantId, Instant now);

  @Query("UPDATE erasure SET nudges = nudges + 1 WHERE participant_id = :participantId")
  int nudge(String participantId);

  @Query("SELECT participant_id FROM erasure WHERE status = 'rewriting' ORDER BY seq")
  List<String> rewriting();

  @Query("SELECT * FROM erasure WHERE seq < :before ORDER BY seq DESC LIMIT :most")
  List<Row> newest(long before, int most);

  @Query("SELECT * FROM erasure WHERE participant_id = :participantId")
  Optional<Row> find(String participantId);

  @Query("UPDATE erased_sender SET erased_at = :at WHERE hash = :hash AND erased_at < :at")
  int senderErased(String hash, Instant at);

  @Query("INSERT INTO erased_sender (hash, erased_at) VALUES (:hash, :at) ON CONFLICT DO NOTHING")
  int insertSender(String hash, Instant at);

  @Query("SELECT COUNT(*) FROM erased_sender WHERE hash = :hash AND erased_at > :at")
  int erasedSince(String hash, Instant at);

  @Query("DELETE FROM erased_sender WHERE erased_at < :before")
  int forgetSenders(Instant before);

  /** A row of {@code erasure}. */
  @MappedEntity("erasure")
  record Row(
      @Id String participantId,
      long seq,
      @StoredAsWord Erasures.Status status,
      boolean keepTranscript,
      Instant requestedAt,
      @Nullable Instant erasedAt,
      @Nullable Instant doneAt) {}
}
