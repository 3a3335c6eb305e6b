package org.habitline.messaging.outbox;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.DataType;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.Template;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of the outbox. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOutbox extends GenericRepository<JdbcOutbox.Row, Long> {

  /** Selects planned messages of a channel. */
  String WAITING =
      "SELECT o.* FROM outbox o WHERE o.open = TRUE AND o.channel = :channel AND o.status = 'planned' ";

  /** Narrows that to messages that have not expired and are the first of their participant. */
  String FIRST =
      """
       AND o.expires_at > :now
        AND NOT EXISTS (SELECT 1 FROM outbox p
                        WHERE p.open = TRUE AND p.participant_id = o.participant_id AND p.channel = o.channel
                          AND COALESCE(p.place, p.seq) < COALESCE(o.place, o.seq))\
      """;

  /** Selects those that were never put off, in the order of the index. */
  String NEVER_PUT_OFF =
      WAITING
          + "AND o.not_before IS NULL"
          + FIRST
          + " ORDER BY o.open, o.channel, o.status, o.not_before, o.bulk, o.seq LIMIT :most";

  /** Selects those put off that are due now; the index skips those that are not due yet. */
  String PUT_OFF_UNTIL_NOW =
      WAITING + "AND o.not_before <= :now" + FIRST + " ORDER BY o.bulk, o.seq LIMIT :most";

  /** Returns the status of the last question for consent, or empty if there is none. */
  @Query(
      "SELECT status FROM outbox WHERE participant_id = :participantId AND kind = 'consent' ORDER BY seq DESC LIMIT 1")
  Optional<DeliveryStatus> lastQuestion(String participantId);

  /** Counts the daily prompts of a turn that wait to be sent. */
  @Query(
      """
      SELECT COUNT(*) FROM outbox
      WHERE participant_id = :participantId AND turn = :turn AND kind = 'prompt' AND status = 'planned'\
      """)
  int unsentPrompts(String participantId, int turn);

  /**
   * Returns the newest message planned by this study time that may have been sent. A question or a
   * debug message does not count, as it only goes with another message, and neither does an answer
   * to a keyword or what staff wrote to many at once.
   */
  @Query(
      """
      SELECT o.* FROM outbox o
      WHERE participant_id = :participantId AND said_at <= :at AND retry_of IS NULL
        AND status NOT IN ('planned', 'refused') AND kind NOT IN ('intensity', 'debug', 'help', 'status')
        AND \
      """
          + Outbox.TO_ONE
          + " ORDER BY participant_id DESC, seq DESC LIMIT 1")
  Optional<Row> newestBy(String participantId, Instant at);

  /** Plans a message again, in the place of one that was accepted and not delivered. */
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

  /** Returns how often a delivery was planned again. */
  @Query("SELECT COUNT(*) FROM outbox WHERE participant_id = :participantId AND retry_of = :id")
  int repeats(String participantId, String id);

  /** No longer asks the provider what became of a delivery. */
  @Query("UPDATE outbox SET ask_at = NULL WHERE id = :id")
  void stopAsking(String id);

  /**
   * Plans a failed message again behind what is planned already, because staff ask for it; returns
   * 0 if its words were cleared.
   */
  @Query(
      """
      INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at,
                          said_at, bulk, expires_at, template, buttons, segments, encoding, retry_of, clear_due)
      SELECT :newId, participant_id, turn, message_id, kind, channel, body, 'planned', TRUE, 0,
             CAST(:now AS timestamp(6) with time zone), CAST(:saidAt AS timestamp(6) with time zone), bulk,
             CAST(:expiresAt AS timestamp(6) with time zone), template, buttons, segments, encoding, id, clear_due
      FROM outbox o WHERE id = :id AND body <> ''\
      """)
  int insertResend(String newId, String id, Instant now, Instant saidAt, Instant expiresAt);

  /**
   * Returns how many messages after this one the provider accepted, or may be accepting. A question
   * or a debug message does not count, as it only goes with another message.
   */
  @Query(
      """
      SELECT COUNT(*) FROM outbox
      WHERE participant_id = :participantId AND channel = :channel
        AND (COALESCE(place, seq) > :place OR (kind IN ('crisis', 'alert') AND seq > :place))
        AND kind NOT IN ('intensity', 'debug') AND (provider_id IS NOT NULL OR status IN ('sending', 'looking', 'unknown'))\
      """)
  int takenAfter(String participantId, @StoredAsWord ChannelKind channel, long place);

  /** Moves a message ahead of all others to its participant, after earlier ones of its kind. */
  @Query("UPDATE outbox SET place = seq - 1000000000000 WHERE id = :id")
  int ahead(String id);

  /**
   * Returns the receivers of messages that are due and that a stop or a restored backup does not
   * hold; reads all open messages.
   */
  @Query(
      """
      SELECT DISTINCT participant_id FROM outbox
      WHERE open = TRUE AND kind IN ('crisis', 'alert', 'confirmation') AND status = 'planned' AND (not_before IS NULL OR not_before <= :now)
      LIMIT :most\
      """)
  List<String> urgent(Instant now, int most);

  /**
   * Counts the messages that staff wrote to many at once and that wait on a channel; counts at most
   * {@code most}, and none that waits for hours in which it may be sent, or for its next attempt.
   */
  @Query(
      """
      SELECT COUNT(*) FROM (SELECT seq FROM outbox
                            WHERE open = TRUE AND channel = :channel AND status = 'planned' AND bulk = TRUE
                              AND kind = 'staff'
                              AND COALESCE(hold, '') NOT IN ('allowed_hours', 'carrier_hours', 'retry') LIMIT :most) t\
      """)
  int waitingToMany(@StoredAsWord ChannelKind channel, int most);

  /** Returns the first open message of a participant on each channel. */
  @Query(
      """
      SELECT o.* FROM outbox o WHERE o.open = TRUE AND o.participant_id = :participantId
        AND NOT EXISTS (SELECT 1 FROM outbox p
                        WHERE p.open = TRUE AND p.participant_id = :participantId AND p.channel = o.channel
                          AND COALESCE(p.place, p.seq) < COALESCE(o.place, o.seq))
      ORDER BY o.seq\
      """)
  List<Row> firstOpen(String participantId);

  /**
   * Moves a participant's messages ahead, because they wait for a reply, which must not be held up
   * by what comes before it.
   */
  @Query(
      """
      UPDATE outbox SET bulk = FALSE,
        not_before = CASE WHEN retry_of IS NOT NULL OR hold = 'allowed_hours' THEN NULL ELSE not_before END
      WHERE open = TRUE AND participant_id = :participantId AND (bulk = TRUE OR retry_of IS NOT NULL)\
      """)
  int hurry(String participantId);

  /**
   * Returns the messages of a channel that may be sent next, each the first of its participant:
   * replies before messages that no one waits for, then in the order of planning.
   */
  @Query(
      "SELECT h.* FROM (("
          + NEVER_PUT_OFF
          + ") UNION ALL ("
          + PUT_OFF_UNTIL_NOW
          + ")) h ORDER BY h.bulk, h.seq LIMIT :most")
  List<Row> heads(@StoredAsWord ChannelKind channel, Instant now, int most);

  @Query("SELECT planned_at FROM outbox WHERE channel <> 'simulator' ORDER BY seq LIMIT 1")
  Optional<Instant> firstToProviders();

  /** Returns messages to try while the sender is stopped: those with the fewest attempts first. */
  @Query(
      WAITING
          + "AND (o.not_before IS NULL OR o.not_before <= :now)"
          + FIRST
          + " ORDER BY o.attempts, o.bulk, o.seq LIMIT :most")
  List<Row> headsToTry(@StoredAsWord ChannelKind channel, Instant now, int most);

  /** Makes messages due that wait only because their sender was stopped. */
  @Query(
      """
      UPDATE outbox SET not_before = NULL
      WHERE open = TRUE AND channel = :channel AND status = 'planned' AND not_before IS NOT NULL
        AND hold = 'sender_stopped'\
      """)
  int waitNoLonger(@StoredAsWord ChannelKind channel);

  /** Marks a message as outside the window; only for the worker sending it in this attempt. */
  @Query(
      """
      UPDATE outbox SET outside_window = TRUE, status = 'planned', not_before = NULL
      WHERE id = :id AND open = TRUE AND status = 'sending' AND attempts = :attempts\
      """)
  int outsideWindow(String id, int attempts);

  @Query(
      """
      SELECT * FROM outbox WHERE open = TRUE AND participant_id = :participantId ORDER BY seq\
      """)
  List<Row> open(String participantId);

  /** Marks a message that is being sent or looked up, so that it is not sent again later. */
  @Query(
      "UPDATE outbox SET withheld = :reason WHERE id = :id AND open = TRUE AND status <> 'planned'")
  int withhold(String id, String reason);

  @Query(
      """
      UPDATE outbox SET status = 'sending', attempts = attempts + 1, hold = NULL, sending_at = :now,
             attempted_at = :now, sent_from = :sentFrom
      WHERE id = :id AND status = 'planned' AND open = TRUE\
      """)
  int takeToSend(String id, @Nullable String sentFrom, Instant now);

  /** Puts a taken message back as if it had not been taken, unless another worker has it by now. */
  @Query(
      """
      UPDATE outbox SET status = 'planned', attempts = attempts - 1
      WHERE id = :id AND open = TRUE AND status = 'sending' AND attempts = :attempts\
      """)
  int untake(String id, int attempts);

  @Query(
      """
      UPDATE outbox SET status = 'looking', sending_at = :now
      WHERE id = :id AND status = 'unknown' AND open = TRUE\
      """)
  int takeToLookUp(String id, Instant now);

  /** Returns the provider's ids of the participant's other messages. */
  @Query(
      """
      SELECT provider_id FROM outbox
      WHERE participant_id = :participantId AND id <> :id AND provider_id IS NOT NULL\
      """)
  List<String> otherIds(String participantId, String id);

  @Query("SELECT * FROM outbox WHERE provider_id = :providerId")
  Optional<Row> sentAs(String providerId);

  /** Moves a message forward, never back; once failed or delivered, it is not asked about again. */
  @Query(
      """
      UPDATE outbox SET status = :status, progress = :progress, failure = :failure,
             error_code = COALESCE(:errorCode, error_code),
             ask_at = CASE WHEN :progress >= 6 THEN NULL ELSE ask_at END
      WHERE id = :id AND progress < :progress AND progress <> 6 AND open = FALSE\
      """)
  int move(
      String id,
      @StoredAsWord DeliveryStatus status,
      int progress,
      @StoredAsWord @Nullable DeliveryFailure failure,
      @Nullable String errorCode);

  /**
   * Ends a message if it has not changed since it was read: every attempt raises {@code attempts},
   * and every worker that takes it changes the status.
   */
  @Query(
      """
      UPDATE outbox SET status = :status, open = FALSE, reason = :reason, hold = NULL, failure = :failure,
             failure_code = :failureCode, ended_at = :now, ask_at = :askAt
      WHERE id = :id AND open = TRUE AND status = :was AND attempts = :attempts\
      """)
  int end(
      String id,
      @StoredAsWord DeliveryStatus was,
      int attempts,
      @StoredAsWord DeliveryStatus status,
      @Nullable String reason,
      @StoredAsWord @Nullable DeliveryFailure failure,
      @Nullable String failureCode,
      Instant now,
      @Nullable Instant askAt);

  /** Records that the provider accepted the message in this attempt, whatever its status is now. */
  @Query(
      """
      UPDATE outbox SET status = 'accepted', open = FALSE, provider_id = :providerId, reason = NULL, hold = NULL,
             failure = NULL, failure_code = NULL, ended_at = :now, ask_at = :askAt
      WHERE id = :id AND open = TRUE AND attempts = :attempts\
      """)
  int accepted(String id, int attempts, String providerId, Instant now, Instant askAt);

  /** Records, in a row of its own, an accepted message whose worker no longer had it. */
  @Query(
      """
      INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at,
                          said_at, bulk, expires_at, template, buttons, segments, encoding, outside_window, place,
                          provider_id, reason, sending_at, attempted_at, ended_at, ask_at)
      SELECT :newId, participant_id, turn, message_id, kind, channel, body, 'accepted', FALSE, 1, planned_at,
             said_at, bulk, expires_at, template, buttons, segments, encoding, outside_window, COALESCE(place, seq),
             :providerId, :reason, CAST(:taken AS timestamp(6) with time zone),
             CAST(:taken AS timestamp(6) with time zone), CAST(:now AS timestamp(6) with time zone),
             CAST(:askAt AS timestamp(6) with time zone)
      FROM outbox o WHERE id = :id AND NOT EXISTS (SELECT 1 FROM outbox p WHERE p.provider_id = :providerId)\
      """)
  int insertStray(
      String newId,
      String id,
      String providerId,
      String reason,
      Instant taken,
      Instant now,
      Instant askAt);

  @Query(
      """
      INSERT INTO stray_text (delivery_id, participant_id, repeats, found_at)
      VALUES (:id, :participantId, :repeats, :now)\
      """)
  void stray(String id, String participantId, String repeats, Instant now);

  @Query("SELECT COUNT(*) FROM stray_text WHERE delivery_id = :id")
  int isStray(String id);

  /** Returns which of these deliveries are extra ones of a message that was sent more than once. */
  @Query("SELECT delivery_id FROM stray_text WHERE delivery_id IN (:ids)")
  List<String> straysAmong(List<String> ids);

  @Query("SELECT COUNT(*) FROM stray_text WHERE found_at >= :since")
  int strays(Instant since);

  @Query("DELETE FROM stray_text WHERE participant_id = :participantId")
  int eraseStrays(String participantId);

  @Query("INSERT INTO message_template (id) VALUES (:template) ON CONFLICT DO NOTHING")
  int insertTemplate(String template);

  /** Records the template that was sent instead of a message, with its category at this time. */
  @Query(
      """
      UPDATE outbox SET template_id = :template,
             template_category = (SELECT t.category FROM message_template t WHERE t.id = :template)
      WHERE id = :id\
      """)
  int wentOutAs(String id, String template);

  /** Returns templates whose category is not known, or was checked before this instant. */
  @Query(
      "SELECT id FROM message_template WHERE checked_at IS NULL OR checked_at < :before ORDER BY id")
  List<String> templatesToCheck(Instant before);

  @Query(
      """
      UPDATE message_template SET category = COALESCE(:category, category), checked_at = :now WHERE id = :template\
      """)
  int checked(String template, @Nullable String category, Instant now);

  /** Returns and locks messages that lack the category of their template; skips locked rows. */
  @Query(
      """
      SELECT seq FROM outbox
      WHERE status IN (:statuses) AND said_at >= :since AND template_id = :template AND template_category IS NULL
      ORDER BY seq LIMIT :most FOR UPDATE SKIP LOCKED\
      """)
  List<Long> holdWithoutCategory(
      String template, @StoredAsWord Collection<DeliveryStatus> statuses, Instant since, int most);

  @Query("UPDATE outbox SET template_category = :category WHERE seq IN (:seqs)")
  int categorised(String category, List<Long> seqs);

  /** Returns those of these messages that have no price yet. */
  @Query("SELECT provider_id FROM outbox WHERE provider_id IN (:providerIds) AND price IS NULL")
  Set<String> withoutPrice(Collection<String> providerIds);

  /** Returns and locks those of these messages that have no price yet; skips locked rows. */
  @Query(
      """
      SELECT provider_id FROM outbox WHERE provider_id IN (:providerIds) AND price IS NULL
      ORDER BY seq FOR UPDATE SKIP LOCKED\
      """)
  List<String> holdWithoutPrice(Collection<String> providerIds);

  @Query(
      """
      UPDATE outbox SET price = :price, price_unit = :unit
      WHERE provider_id = :providerId AND price IS NULL\
      """)
  int charged(String providerId, BigDecimal price, @Nullable String unit);

  /**
   * Returns messages about which the provider should be asked now. Without a lower bound H2 would
   * scan all messages that need no asking.
   */
  @Query(
      """
      SELECT * FROM outbox WHERE ask_at > DATE '1970-01-01' AND ask_at <= :now
      ORDER BY ask_at LIMIT :most\
      """)
  List<Row> toAsk(Instant now, int most);

  /** Sets when to ask next; returns 0 if another node asks. */
  @Query("UPDATE outbox SET ask_at = :next WHERE id = :id AND ask_at = :askAt")
  int askNext(String id, Instant askAt, @Nullable Instant next);

  /** Records that a message with an unknown outcome was sent after all. */
  @Query(
      """
      UPDATE outbox SET status = 'accepted', provider_id = :providerId, reason = NULL, ask_at = :askAt
      WHERE id = :id AND status = 'unknown' AND open = FALSE
      AND NOT EXISTS (SELECT 1 AS found FROM outbox o WHERE o.participant_id = outbox.participant_id AND o.retry_of = outbox.id)\
      """)
  int foundAfterAll(String id, String providerId, Instant askAt);

  /** Records that a message with an unknown outcome was not sent. */
  @Query(
      """
      UPDATE outbox SET status = 'failed', reason = :reason, progress = 6, ask_at = NULL
      WHERE id = :id AND status = 'unknown' AND open = FALSE
      AND NOT EXISTS (SELECT 1 AS found FROM outbox o WHERE o.participant_id = outbox.participant_id AND o.retry_of = outbox.id)\
      """)
  int lostAfterAll(String id, String reason);

  @Query(
      """
      UPDATE outbox SET status = 'planned', reason = :reason, hold = :hold, failure = :failure,
             failure_code = :failureCode, not_before = :notBefore, unknown_since = NULL
      WHERE id = :id AND open = TRUE AND status = :was AND attempts = :attempts\
      """)
  int putBack(
      String id,
      @StoredAsWord DeliveryStatus was,
      int attempts,
      @Nullable String reason,
      @StoredAsWord @Nullable HoldReason hold,
      @StoredAsWord @Nullable DeliveryFailure failure,
      @Nullable String failureCode,
      Instant notBefore);

  /** Puts off a message that is not being sent. */
  @Query(
      """
      UPDATE outbox SET reason = :reason, hold = :hold, failure = NULL, failure_code = NULL, not_before = :notBefore
      WHERE id = :id AND open = TRUE AND status = 'planned'\
      """)
  int putOff(String id, String reason, @StoredAsWord HoldReason hold, Instant notBefore);

  /** Puts off a message until real channels may be used; it does not expire meanwhile. */
  @Query(
      """
      UPDATE outbox SET reason = :reason, hold = 'test_alert', failure = NULL, failure_code = NULL,
             not_before = :notBefore, expires_at = :keepsUntil
      WHERE id = :id AND open = TRUE AND status = 'planned'\
      """)
  int holdForLaunch(String id, String reason, Instant notBefore, Instant keepsUntil);

  /** Makes messages due that wait only for real channels. */
  @Query(
      """
      UPDATE outbox SET not_before = NULL
      WHERE open = TRUE AND status = 'planned' AND not_before IS NOT NULL AND hold = 'test_alert'\
      """)
  int launch();

  @Query(
      """
      UPDATE outbox SET status = 'unknown', reason = :reason, failure = NULL, failure_code = NULL, not_before = :notBefore,
             unknown_since = COALESCE(unknown_since, :now)
      WHERE id = :id AND open = TRUE AND status = :was AND attempts = :attempts\
      """)
  int unknown(
      String id,
      @StoredAsWord DeliveryStatus was,
      int attempts,
      @Nullable String reason,
      Instant notBefore,
      Instant now);

  /** Marks a message as unknown if its worker took it so long ago that it must have died. */
  @Query(
      """
      UPDATE outbox SET status = 'unknown', reason = :reason, failure = NULL, failure_code = NULL, not_before = :now,
             unknown_since = COALESCE(unknown_since, :now)
      WHERE id = :id AND open = TRUE AND status = :was AND attempts = :attempts
        AND sending_at <= :takenBefore\
      """)
  int stale(
      String id,
      @StoredAsWord DeliveryStatus was,
      int attempts,
      String reason,
      Instant takenBefore,
      Instant now);

  /** Marks messages that a process left when it died; whether they were sent must be looked up. */
  @Query(
      """
      UPDATE outbox SET status = 'unknown', not_before = NULL, unknown_since = COALESCE(unknown_since, :now)
      WHERE open = TRUE AND status IN ('sending', 'looking')\
      """)
  int interrupted(Instant now);

  @Query(
      """
      UPDATE outbox SET status = 'refused', open = FALSE, reason = :reason, hold = NULL, failure = NULL,
             failure_code = NULL, ended_at = :now
      WHERE participant_id = :participantId AND open = TRUE AND status = 'planned'\
      """)
  int cancel(String participantId, String reason, Instant now);

  /** Ends messages that may have been sent, to hold up nothing; the provider is still asked. */
  @Query(
      """
      UPDATE outbox SET status = 'unknown', open = FALSE, reason = :reason, failure = NULL, failure_code = NULL,
             ended_at = :now, ask_at = :askAt
      WHERE participant_id = :participantId AND open = TRUE AND status IN ('unknown', 'looking')\
      """)
  int giveUp(String participantId, String reason, Instant now, Instant askAt);

  @Query(
      "SELECT COUNT(*) FROM outbox WHERE open = TRUE AND (not_before IS NULL OR not_before <= :now)")
  int unsent(Instant now);

  /**
   * Returns open messages counted by channel; looks at this many rows at most. A pause of up to ten
   * minutes is between two attempts; a longer one is on purpose, as in quiet hours.
   */
  @Query(
      """
      SELECT w.channel AS what, COUNT(*) AS count, MIN(w.planned_at) AS oldest,
             MIN(CASE WHEN w.not_before IS NULL OR w.hold = 'channel_missing'
                      THEN w.planned_at
                      WHEN w.attempted_at IS NULL OR w.not_before > w.attempted_at + INTERVAL '10' MINUTE
                      THEN w.not_before
                      ELSE w.planned_at END) AS due
      FROM (SELECT channel, planned_at, not_before, attempted_at, hold FROM outbox WHERE open = TRUE LIMIT :most) w
      GROUP BY w.channel\
      """)
  List<Queued> queued(int most);

  @Query("DELETE FROM outbox WHERE participant_id = :participantId")
  int erase(String participantId);

  /**
   * Returns participants with a due message that has one of these channels and the status at the
   * same index of the other array. The index skips messages that are put off.
   */
  @Query(
      """
      SELECT o.participant_id
      FROM UNNEST(CAST(:channels AS varchar ARRAY), CAST(:statuses AS varchar ARRAY)) AS t (channel, status)
           JOIN outbox o ON o.open = TRUE AND o.channel = t.channel AND o.status = t.status
      WHERE o.not_before IS NULL
      UNION
      SELECT o.participant_id
      FROM UNNEST(CAST(:channels AS varchar ARRAY), CAST(:statuses AS varchar ARRAY)) AS t (channel, status)
           JOIN outbox o ON o.open = TRUE AND o.channel = t.channel AND o.status = t.status
      WHERE o.not_before <= :now
      LIMIT :most\
      """)
  List<String> due(
      Instant now,
      @TypeDef(type = DataType.STRING_ARRAY) String[] channels,
      @TypeDef(type = DataType.STRING_ARRAY) String[] statuses,
      int most);

  /** Returns participants with an expired message; scans all open messages. */
  @Query(
      """
      SELECT DISTINCT participant_id FROM outbox
      WHERE open = TRUE AND status = 'planned' AND expires_at <= :now LIMIT :most\
      """)
  List<String> expired(Instant now, int most);

  @Query(
      """
      SELECT * FROM outbox WHERE participant_id = :participantId AND seq < :before
      ORDER BY participant_id DESC, seq DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, long before, int most);

  /** Returns unsent replies, oldest first; looks at this many open messages at most. */
  @Query(
      """
      SELECT w.* FROM (SELECT * FROM outbox WHERE open = TRUE LIMIT :looked) w
      WHERE w.kind IN ('reply', 'prompt_now') ORDER BY w.planned_at, w.seq LIMIT :most\
      """)
  List<Row> unsentAnswers(int looked, int most);

  /**
   * Returns messages of a status planned since then, newest first, in the order of the index;
   * without those that were sent again, those that arrived after all, and those to people who have
   * opted out, except safety messages and alerts to staff. Avoids an EXISTS beside an OR, for which
   * PostgreSQL may read whole tables.
   *
   * @param arrived the lowest rank of a report that a message arrived
   */
  @Query(
      """
      SELECT o.* FROM outbox o WHERE o.status = :status AND o.said_at >= :since
        AND NOT EXISTS (SELECT 1 FROM outbox r WHERE r.participant_id = o.participant_id AND r.retry_of = o.id)
        AND NOT EXISTS (SELECT 1 FROM delivery_event e WHERE e.provider_id = o.provider_id AND e.progress >= :arrived)
        AND NOT EXISTS (SELECT 1 FROM participant p JOIN address a ON a.id = p.address_id
                        WHERE p.id = o.participant_id AND a.opted_out = TRUE AND o.kind NOT IN ('crisis', 'alert'))
      ORDER BY o.status DESC, o.said_at DESC LIMIT :most\
      """)
  List<Row> undelivered(@StoredAsWord DeliveryStatus status, Instant since, int arrived, int most);

  @Query("SELECT * FROM outbox WHERE id IN (:ids)")
  List<Row> these(List<String> ids);

  /** Returns the deliveries of these messages, in the order of planning. */
  @Query("SELECT * FROM outbox WHERE message_id IN (:messageIds) ORDER BY seq")
  List<Row> ofMessages(List<String> messageIds);

  /** Waiting messages of one channel. */
  @MappedEntity
  record Queued(@StoredAsWord ChannelKind what, long count, Instant oldest, Instant due) {}

  /** A row as stored. */
  @MappedEntity("outbox")
  record Row(
      @Id long seq,
      String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      @StoredAsWord OutboundKind kind,
      @StoredAsWord ChannelKind channel,
      String body,
      @StoredAsWord DeliveryStatus status,
      boolean open,
      int attempts,
      @Nullable Instant notBefore,
      @Nullable String providerId,
      @Nullable String reason,
      @StoredAsWord @Nullable HoldReason hold,
      @StoredAsWord @Nullable DeliveryFailure failure,
      @Nullable String failureCode,
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
      Instant expiresAt,
      @Nullable String template,
      @Nullable String buttons,
      boolean outsideWindow,
      @Nullable Instant askAt,
      int segments,
      @Nullable String encoding,
      Instant saidAt,
      @Nullable String withheld,
      @Nullable BigDecimal price,
      @Nullable String priceUnit,
      @Nullable String templateId,
      @Nullable String templateCategory,
      @Nullable String sentFrom) {

    /** Returns its place among the messages to its participant. */
    long order() {
      return place == null ? seq : place;
    }

    /** Returns the message with its own body. */
    OutboundMessage message(Participant receiver) {
      return new OutboundMessage(id, participantId, turn, kind, receiver.phone(), channel, body);
    }

    /** Returns the message as it may have been sent: with its template, if any, and its sender. */
    OutboundMessage asSent(Participant receiver) {
      return message(receiver)
          .as(Template.read(buttons == null ? template : buttons))
          .from(sentFrom);
    }
  }
}
