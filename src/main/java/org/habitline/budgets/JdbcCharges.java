package org.habitline.budgets;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of what model calls and messages cost. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcCharges extends GenericRepository<JdbcCharges.Row, String> {

  List<Row> saveAll(Iterable<Row> rows);

  /** Inserts the charge for a message that a provider accepted, once. */
  @Query(
      """
      INSERT INTO charge (id, participant_id, turn, outbox_id, kind, item, segments, price_message, cost, currency,
                          confidence, price_valid_from, at)
      SELECT id, participant_id, turn, id, 'message', channel, segments, CAST(:price AS numeric(20, 9)),
             CAST(:price AS numeric(20, 9)) * (CASE WHEN CAST(:bySegment AS boolean) THEN segments ELSE 1 END),
             CAST(:currency AS varchar(8)), CAST(:confidence AS varchar(16)), CAST(:validFrom AS date),
             CAST(:now AS timestamp(6) with time zone)
      FROM outbox WHERE id = :outboxId ON CONFLICT DO NOTHING\
      """)
  int insertMessage(
      String outboxId,
      @Nullable BigDecimal price,
      boolean bySegment,
      @Nullable String currency,
      @StoredAsWord Charge.Confidence confidence,
      @Nullable LocalDate validFrom,
      Instant now);

  /** Replaces the cost of a message with what the provider charged. */
  @Query(
      """
      UPDATE charge SET cost = :cost, currency = :currency, confidence = 'exact', price_message = NULL, price_valid_from = NULL
      WHERE id = (SELECT o.id FROM outbox o WHERE o.provider_id = :providerId)\
      """)
  int charged(String providerId, BigDecimal cost, @Nullable String currency);

  @Query("DELETE FROM charge WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Deletes new rows of participants who no longer exist. */
  @Query(
      """
      DELETE FROM charge c WHERE c.at >= :since
        AND NOT EXISTS (SELECT 1 AS found FROM participant p WHERE p.id = c.participant_id)\
      """)
  int eraseLeftOvers(Instant since);

  /**
   * A charge as stored.
   *
   * @param item the model, or the channel's word
   * @param priceIn for a million tokens
   * @param priceMessage for a segment or a message
   * @param cost {@code null} if the price is unknown
   * @param priceValidFrom {@code null} for a price of every day
   */
  @MappedEntity("charge")
  record Row(
      @Id String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable Integer iteration,
      @Nullable Integer child,
      @Nullable String outboxId,
      @StoredAsWord Charge.Kind kind,
      String item,
      @Nullable Long unitsIn,
      @Nullable Long unitsCached,
      @Nullable Long unitsOut,
      @Nullable Integer segments,
      @Nullable BigDecimal priceIn,
      @Nullable BigDecimal priceCached,
      @Nullable BigDecimal priceOut,
      @Nullable BigDecimal priceMessage,
      @Nullable BigDecimal cost,
      @Nullable String currency,
      @StoredAsWord Charge.Confidence confidence,
      @Nullable LocalDate priceValidFrom,
      Instant at) {}
}
