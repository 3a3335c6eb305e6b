package org.habitline.messaging.inbox;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of texts that were stored before there were crisis rules. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcUnscreened extends GenericRepository<JdbcUnscreened.Row, String> {

  @Query(
      """
      SELECT u.text_id AS text_id, i.participant_id AS participant_id,
             t.sender AS sender, COALESCE(i.channel, t.channel) AS channel, COALESCE(i.body, t.body) AS body
      FROM unscreened_text u
      LEFT JOIN inbox i ON i.provider_id = u.text_id
      LEFT JOIN unclaimed_text t ON t.provider_id = u.text_id
      ORDER BY u.text_id LIMIT :most\
      """)
  List<Row> some(int most);

  /** Removes a text from the list; returns 0 if another node has. */
  @Query("DELETE FROM unscreened_text WHERE text_id = :textId")
  int done(String textId);

  /**
   * A text, or what is left of it.
   *
   * @param participantId {@code null} if nobody has claimed it
   * @param sender what the provider calls its sender, of a text that was not claimed at once
   * @param body {@code null} if it no longer exists
   */
  @MappedEntity("unscreened_text")
  record Row(
      @Id String textId,
      @Nullable String participantId,
      @Nullable String sender,
      @StoredAsWord @Nullable ChannelKind channel,
      @Nullable String body) {}
}
