package org.habitline.messaging.outbox;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Writes new rows of the outbox. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcPlanned extends GenericRepository<JdbcPlanned.Row, String> {

  void save(Row text);

  /** The columns that are set when a message is planned. */
  @MappedEntity("outbox")
  record Row(
      @Id String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      @StoredAsWord OutboundKind kind,
      @StoredAsWord ChannelKind channel,
      String body,
      @StoredAsWord DeliveryStatus status,
      boolean open,
      int attempts,
      Instant plannedAt,
      Instant saidAt,
      boolean bulk,
      Instant expiresAt,
      @Nullable String template,
      @Nullable String buttons,
      int segments,
      @Nullable String encoding) {}
}
