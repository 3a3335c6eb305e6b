package org.habitline.study.coding;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.messaging.OutboundKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Reads daily prompts and the texts after them. It selects nothing that tells who somebody is. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOutcomeTexts extends GenericRepository<JdbcOutcomeTexts.Outline, String> {

  /** Returns participants of the study in the order of their ids. */
  @Query(
      """
      SELECT id FROM participant WHERE erasing = 'no' AND contact = FALSE AND id > :after
      ORDER BY id LIMIT :most\
      """)
  List<String> participants(String after, int most);

  /**
   * Returns the daily prompts of a participant that were sent, in the order of sending, but for
   * those from before a message whose words were cleared: nobody can code them any more.
   */
  @Query(
      """
      SELECT o.local_date, o.slot, o.turn, o.sent_at, o.prompted_at, o.asked_at FROM occurrence o
      WHERE o.participant_id = :participantId AND o.status = 'sent' AND o.sent_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 AS found FROM message m
                        WHERE m.participant_id = o.participant_id AND m.cleared_at IS NOT NULL
                          AND m.created_at >= o.sent_at)
      ORDER BY o.sent_at, o.local_date, o.slot LIMIT :most\
      """)
  List<Sent> sent(String participantId, int most);

  /**
   * Returns who wrote when, in order, without words: as a model sees the transcript, without what
   * did not arrive, what belongs to a crisis or came before consent, and without cleared words. The
   * query avoids an EXISTS beside an OR, as that of the history does.
   */
  @Query(
      """
      SELECT m.id AS id, CASE WHEN m.author = 'participant' THEN TRUE ELSE FALSE END AS theirs,
             m.turn AS turn, m.created_at AS created_at,
             (SELECT MIN(o.kind) FROM outbox o WHERE o.message_id = m.id) AS kind
      FROM message m
      WHERE m.participant_id = :participantId AND m.incident_id IS NULL AND m.before_consent = FALSE
        AND m.content <> ''
        AND (m.role <> 'assistant'
             OR COALESCE((SELECT MIN(CASE WHEN o.status IN ('refused', 'failed', 'undelivered', 'canceled')
                                     THEN 1 ELSE 0 END)
                          FROM outbox o WHERE o.message_id = m.id), 0) = 0)
      ORDER BY m.participant_id, m.seq LIMIT :most\
      """)
  List<Outline> outline(String participantId, int most);

  /** Returns one text with its words, unless no coder may see it any more. */
  @Query(
      """
      SELECT content FROM message
      WHERE participant_id = :participantId AND id = :messageId AND author = 'participant'
        AND incident_id IS NULL AND before_consent = FALSE AND content <> ''\
      """)
  Optional<String> words(String participantId, String messageId);

  /**
   * A message without its words.
   *
   * @param theirs whether the participant wrote it
   * @param kind why it was sent, or {@code null} for a text
   */
  @MappedEntity("message")
  record Outline(
      @Id String id,
      boolean theirs,
      int turn,
      Instant createdAt,
      @StoredAsWord @Nullable OutboundKind kind) {}

  /**
   * A daily prompt that was sent.
   *
   * @param turn the turn that wrote it, and the other messages that came with it
   */
  @Introspected
  record Sent(
      String localDate,
      int slot,
      @Nullable Integer turn,
      Instant sentAt,
      @Nullable Instant promptedAt,
      @Nullable Instant askedAt) {

    boolean cameWith(Outline message) {
      return turn != null && turn == message.turn() && !message.theirs();
    }

    boolean askedWithIt() {
      return askedAt != null && !askedLater();
    }

    boolean askedLater() {
      return askedAt != null && promptedAt != null && askedAt.isAfter(promptedAt);
    }
  }
}
