package org.habitline.messaging;

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
import org.jspecify.annotations.Nullable;

/** Rows of the outbox. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOutbox extends GenericRepository<JdbcOutbox.Row, Long> {

  /** Texts of a channel that may leave, each the first of its participant. */
  String HEADS =
      """
      SELECT o.* FROM outbox o
      WHERE o.open = TRUE AND o.channel = :channel AND o.status = 'planned'
        AND (o.not_before IS NULL OR o.not_before <= :now) AND (o.expires_at IS NULL OR o.expires_at > :now)
        AND NOT EXISTS (SELECT 1 FROM outbox p
                        WHERE p.open = TRUE AND p.participant_id = o.participant_id AND p.channel = o.channel
                          AND COALESCE(p.place, p.seq) < COALESCE(o.place, o.seq))\
      """;

  @Query(
      """
      INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at,
                          said_at, bulk, expires_at, template, buttons, segments, encoding)
      VALUES (:id, :participantId, :turn, :messageId, :kind, :channel, :body, 'planned', TRUE, 0, :plannedAt,
              :saidAt, :bulk, :expiresAt, :template, :buttons, :segments, :encoding)\
      """)
  void insert(
      String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      String kind,
      String channel,
      String body,
      Instant plannedAt,
      Instant saidAt,
      boolean bulk,
      Instant expiresAt,
      @Nullable String template,
      @Nullable String buttons,
      int segments,
      @Nullable String encoding);

  /** Plans a text once more, in the place of the one that the provider took and did not deliver. */
  @Query(
      """
      INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at,
                          said_at, bulk, expires_at, template, buttons, segments, encoding, outside_window, place, retry_of, retries, not_before)
      SELECT :newId, participant_id, turn, message_id, kind, channel, body, 'planned', TRUE, 0, planned_at, said_at,
             CASE WHEN EXISTS (SELECT 1 FROM outbox p
                               WHERE p.open = TRUE AND p.participant_id = o.participant_id AND p.bulk = FALSE)
                  THEN FALSE ELSE bulk END, expires_at, template, buttons, segments, encoding, :outsideWindow, COALESCE(place, seq), id, retries + 1,
             CAST(:notBefore AS timestamp(6) with time zone)
      FROM outbox o WHERE id = :id\
      """)
  void insertAgain(String newId, String id, boolean outsideWindow, Instant notBefore);

  /**
   * How many texts to the participant the provider took, or may be taking, that come after this
   * one. What only goes with another text does not count: a question, a debug message.
   */
  @Query(
      """
      SELECT COUNT(*) FROM outbox
      WHERE participant_id = :participantId AND channel = :channel AND COALESCE(place, seq) > :place
        AND kind NOT IN ('intensity', 'debug') AND (provider_id IS NOT NULL OR status IN ('sending', 'looking', 'unknown'))\
      """)
  int takenAfter(String participantId, String channel, long place);

  /** The first open text of a participant on each channel. */
  @Query(
      """
      SELECT o.* FROM outbox o WHERE o.open = TRUE AND o.participant_id = :participantId
        AND NOT EXISTS (SELECT 1 FROM outbox p
                        WHERE p.open = TRUE AND p.participant_id = :participantId AND p.channel = o.channel
                          AND COALESCE(p.place, p.seq) < COALESCE(o.place, o.seq))
      ORDER BY o.seq\
      """)
  List<Row> firstOpen(String participantId);

  /** Somebody waits for an answer: what stands before it in their order must not hold it up. */
  @Query(
      """
      UPDATE outbox SET bulk = FALSE,
        not_before = CASE WHEN retry_of IS NOT NULL OR reason = :waitsForDay THEN NULL ELSE not_before END
      WHERE open = TRUE AND participant_id = :participantId AND (bulk = TRUE OR retry_of IS NOT NULL)\
      """)
  int hurry(String participantId, String waitsForDay);

  /**
   * The texts of a channel that may leave next, each the first of its participant: answers before
   * what nobody waits for, and then in the order of planning.
   */
  @Query(HEADS + " ORDER BY o.open, o.channel, o.status, o.bulk, o.seq LIMIT :most")
  List<Row> heads(String channel, Instant now, int most);

  @Query("SELECT planned_at FROM outbox WHERE channel <> 'simulator' ORDER BY seq LIMIT 1")
  Optional<Instant> firstToProviders();

  /** Which of them is tried while the sender is stopped: one that was not, before one that was. */
  @Query(HEADS + " ORDER BY o.attempts, o.bulk, o.seq LIMIT :most")
  List<Row> headsToTry(String channel, Instant now, int most);

  /** What waits because of its sender need not wait any longer. */
  @Query(
      """
      UPDATE outbox SET not_before = NULL
      WHERE open = TRUE AND channel = :channel AND status = 'planned' AND not_before IS NOT NULL
        AND reason LIKE :reason\
      """)
  int waitNoLonger(String channel, String reason);

  @Query(
      """
      UPDATE outbox SET outside_window = TRUE, status = 'planned', not_before = NULL
      WHERE id = :id AND open = TRUE\
      """)
  int outsideWindow(String id);

  @Query(
      """
      SELECT * FROM outbox WHERE open = TRUE AND participant_id = :participantId AND status = 'planned'
      ORDER BY seq\
      """)
  List<Row> planned(String participantId);

  @Query(
      """
      UPDATE outbox SET status = 'sending', attempts = attempts + 1, sending_at = :now, attempted_at = :now
      WHERE id = :id AND status = 'planned' AND open = TRUE\
      """)
  int takeToSend(String id, Instant now);

  @Query(
      """
      UPDATE outbox SET status = 'looking', sending_at = :now
      WHERE id = :id AND status = 'unknown' AND open = TRUE\
      """)
  int takeToLookUp(String id, Instant now);

  /** The provider's ids of the participant's other texts. */
  @Query(
      """
      SELECT provider_id FROM outbox
      WHERE participant_id = :participantId AND id <> :id AND provider_id IS NOT NULL\
      """)
  List<String> otherIds(String participantId, String id);

  @Query("SELECT * FROM outbox WHERE provider_id = :providerId")
  Optional<Row> sentAs(String providerId);

  /** Forward only; a text that failed, and one that was delivered, is asked about no more. */
  @Query(
      """
      UPDATE outbox SET status = :status, progress = :progress, error_code = COALESCE(:errorCode, error_code),
             ask_at = CASE WHEN :progress >= 6 THEN NULL ELSE ask_at END
      WHERE id = :id AND progress < :progress AND progress <> 6 AND open = FALSE\
      """)
  int move(String id, String status, int progress, @Nullable String errorCode);

  @Query(
      """
      UPDATE outbox SET status = :status, open = FALSE, provider_id = :providerId, reason = :reason, ended_at = :now,
             ask_at = :askAt
      WHERE id = :id AND open = TRUE\
      """)
  int end(
      String id,
      String status,
      @Nullable String providerId,
      @Nullable String reason,
      Instant now,
      @Nullable Instant askAt);

  /** Texts about which the provider should be asked now. */
  @Query("SELECT * FROM outbox WHERE ask_at <= :now ORDER BY ask_at LIMIT :most")
  List<Row> toAsk(Instant now, int most);

  /** Says when to ask next; 0 if somebody else asks. */
  @Query("UPDATE outbox SET ask_at = :next WHERE id = :id AND ask_at = :askAt")
  int askNext(String id, Instant askAt, @Nullable Instant next);

  /** A text of unknown fate was sent after all. */
  @Query(
      """
      UPDATE outbox SET status = 'accepted', provider_id = :providerId, reason = NULL, ask_at = :askAt
      WHERE id = :id AND status = 'unknown' AND open = FALSE\
      """)
  int foundAfterAll(String id, String providerId, Instant askAt);

  /** A text of unknown fate was not sent. */
  @Query(
      """
      UPDATE outbox SET status = 'failed', reason = :reason, progress = 6, ask_at = NULL
      WHERE id = :id AND status = 'unknown' AND open = FALSE\
      """)
  int lostAfterAll(String id, String reason);

  @Query(
      """
      UPDATE outbox SET status = 'planned', reason = :reason, not_before = :notBefore, unknown_since = NULL
      WHERE id = :id AND open = TRUE\
      """)
  int putBack(String id, @Nullable String reason, Instant notBefore);

  /** Puts a text off that nobody is sending. */
  @Query(
      """
      UPDATE outbox SET reason = :reason, not_before = :notBefore
      WHERE id = :id AND open = TRUE AND status = 'planned'\
      """)
  int putOff(String id, String reason, Instant notBefore);

  @Query(
      """
      UPDATE outbox SET status = 'unknown', reason = :reason, not_before = :notBefore,
             unknown_since = COALESCE(unknown_since, :now)
      WHERE id = :id AND open = TRUE\
      """)
  int unknown(String id, @Nullable String reason, Instant notBefore, Instant now);

  /** A process that died left these; whether they were sent must be looked up. */
  @Query(
      """
      UPDATE outbox SET status = 'unknown', not_before = NULL, unknown_since = COALESCE(unknown_since, :now)
      WHERE open = TRUE AND status IN ('sending', 'looking')\
      """)
  int interrupted(Instant now);

  @Query(
      """
      UPDATE outbox SET status = 'refused', open = FALSE, reason = :reason, ended_at = :now
      WHERE participant_id = :participantId AND open = TRUE\
      """)
  int cancel(String participantId, String reason, Instant now);

  @Query(
      "SELECT COUNT(*) FROM outbox WHERE open = TRUE AND (not_before IS NULL OR not_before <= :now)")
  int unsent(Instant now);

  /**
   * What is open, by channel; looks at so many rows at the most. A pause of up to ten minutes is
   * between two attempts, a longer one is on purpose, as in quiet hours.
   */
  @Query(
      """
      SELECT w.channel AS what, COUNT(*) AS count, MIN(w.planned_at) AS oldest,
             MIN(CASE WHEN w.not_before IS NULL OR w.reason LIKE 'the channel % is not configured'
                      THEN w.planned_at
                      WHEN w.attempted_at IS NULL OR w.not_before > w.attempted_at + INTERVAL '10' MINUTE
                      THEN w.not_before
                      ELSE w.planned_at END) AS due
      FROM (SELECT channel, planned_at, not_before, attempted_at, reason FROM outbox WHERE open = TRUE LIMIT :most) w
      GROUP BY w.channel\
      """)
  List<Queued> queued(int most);

  @Query("DELETE FROM outbox WHERE participant_id = :participantId")
  int erase(String participantId);

  /**
   * Participants for whom something is to be done but what the queues of paced channels do; those
   * let nothing go that is not worth sending any more.
   */
  @Query(
      """
      SELECT DISTINCT participant_id FROM outbox
      WHERE open = TRUE
        AND ((not_before IS NULL OR not_before <= :now) AND NOT (status = 'planned' AND channel IN (:paced))
             OR status = 'planned' AND expires_at <= :now) LIMIT :most\
      """)
  List<String> due(Instant now, List<String> paced, int most);

  @Query(
      """
      SELECT * FROM outbox WHERE participant_id = :participantId AND seq < :before
      ORDER BY participant_id DESC, seq DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, long before, int most);

  /**
   * Answers that are written and have not left, the oldest first; looks at so many open texts at
   * the most.
   */
  @Query(
      """
      SELECT w.* FROM (SELECT * FROM outbox WHERE open = TRUE LIMIT :looked) w
      WHERE w.kind IN ('reply', 'prompt_now') ORDER BY w.planned_at, w.seq LIMIT :most\
      """)
  List<Row> unsentAnswers(int looked, int most);

  /**
   * Texts of a status that were planned from then on, the newest first, in the order of the index;
   * without those that were sent again.
   */
  @Query(
      """
      SELECT o.* FROM outbox o WHERE o.status = :status AND o.said_at >= :since
        AND NOT EXISTS (SELECT 1 FROM outbox r WHERE r.participant_id = o.participant_id AND r.retry_of = o.id)
      ORDER BY o.status DESC, o.said_at DESC LIMIT :most\
      """)
  List<Row> ofStatus(String status, Instant since, int most);

  @Query("SELECT * FROM outbox WHERE id IN (:ids)")
  List<Row> these(List<String> ids);

  /** What became of these messages, in the order of planning. */
  @Query("SELECT * FROM outbox WHERE message_id IN (:messageIds) ORDER BY seq")
  List<Row> ofMessages(List<String> messageIds);

  /** A queue. */
  @Introspected
  record Queued(String what, long count, Instant oldest, Instant due) {

    Waiting waiting() {
      return new Waiting(what, count, oldest, due);
    }
  }

  /** A row as stored. */
  @MappedEntity("outbox")
  record Row(
      @Id long seq,
      String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      String kind,
      String channel,
      String body,
      String status,
      boolean open,
      int attempts,
      @Nullable Instant notBefore,
      @Nullable String providerId,
      @Nullable String reason,
      Instant plannedAt,
      @Nullable Instant sendingAt,
      @Nullable Instant attemptedAt,
      int progress,
      @Nullable String errorCode,
      @Nullable Instant unknownSince,
      @Nullable Instant endedAt,
      @Nullable Long place,
      @Nullable String retryOf,
      int retries,
      boolean bulk,
      @Nullable Instant expiresAt,
      @Nullable String template,
      @Nullable String buttons,
      boolean outsideWindow,
      @Nullable Instant askAt,
      int segments,
      @Nullable String encoding,
      @Nullable Instant saidAt) {

    /** Where it stands among the texts to its participant. */
    long order() {
      return place == null ? seq : place;
    }
  }
}
