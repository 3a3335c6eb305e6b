package org.habitline.messaging.outbox;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of what providers reported. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcDeliveryEvents extends GenericRepository<JdbcDeliveryEvents.Row, Long> {

  @Query(
      """
      INSERT INTO delivery_event (provider_id, status, progress, error_code, fate, joined, received_at)
      VALUES (:providerId, :status, :progress, :errorCode, :fate, FALSE, :now)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String providerId,
      String status,
      int progress,
      @Nullable String errorCode,
      @StoredAsWord @Nullable DeliveryFailure fate,
      Instant now);

  /** Returns waiting reports on messages whose provider id we know by now. */
  @Query(
      """
      SELECT e.* FROM delivery_event e
      WHERE e.joined = FALSE AND EXISTS (SELECT 1 FROM outbox o WHERE o.provider_id = e.provider_id)
      ORDER BY e.seq LIMIT :most\
      """)
  List<Row> joinable(int most);

  @Query(
      "SELECT * FROM delivery_event WHERE joined = FALSE AND provider_id = :providerId ORDER BY seq")
  List<Row> waiting(String providerId);

  /** Returns the reports on these messages, in the order they came. */
  @Query("SELECT * FROM delivery_event WHERE provider_id IN (:providerIds) ORDER BY seq")
  List<Row> of(List<String> providerIds);

  /**
   * Returns which of these messages were reported to have arrived.
   *
   * @param arrived the lowest rank of such a report
   */
  @Query(
      "SELECT DISTINCT provider_id FROM delivery_event WHERE provider_id IN (:providerIds) AND progress >= :arrived")
  List<String> arrived(List<String> providerIds, int arrived);

  @Query("UPDATE delivery_event SET joined = TRUE WHERE seq = :seq AND joined = FALSE")
  int join(long seq);

  /** Returns the provider's ids of a participant's messages. */
  @Query(
      "SELECT o.provider_id FROM outbox o WHERE o.participant_id = :participantId AND o.provider_id IS NOT NULL")
  List<String> textsOf(String participantId);

  @Query("DELETE FROM delivery_event WHERE provider_id IN (:providerIds)")
  int erase(List<String> providerIds);

  /** Returns the first reports that match no message. */
  @Query(
      """
      SELECT e.seq FROM delivery_event e WHERE e.joined = FALSE AND e.received_at < :before
      ORDER BY e.seq LIMIT :most\
      """)
  List<Long> strays(Instant before, int most);

  @Query("DELETE FROM delivery_event WHERE seq IN (:seqs)")
  int delete(List<Long> seqs);

  /** A row as stored. */
  @MappedEntity("delivery_event")
  record Row(
      @Id long seq,
      String providerId,
      String status,
      int progress,
      @Nullable String errorCode,
      @StoredAsWord @Nullable DeliveryFailure fate,
      boolean joined,
      Instant receivedAt) {}
}
