package org.habitline.messaging.inbox;

import io.micronaut.core.annotation.Introspected;
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
import java.util.Optional;
import java.util.Set;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the inbox. A row waits until the turn that took it commits; the turn records which rows
 * it took.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcInbox extends GenericRepository<JdbcInbox.Row, Long> {

  /** Returns how often a participant sent START after that time. */
  @Query(
      """
      SELECT COUNT(*) FROM inbox
      WHERE participant_id = :participantId AND wish = 'start' AND received_at > :at\
      """)
  int startsSince(String participantId, Instant at);

  @Query(
      """
      INSERT INTO inbox (participant_id, kind, provider_id, channel, body, wish, came_to, data, received_at, stored_at,
                         status)
      VALUES (:participantId, :kind, :providerId, :channel, :body, :wish, :cameTo, :data, :receivedAt, :storedAt,
              'waiting')
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String participantId,
      @StoredAsWord InputKind kind,
      String providerId,
      @StoredAsWord @Nullable ChannelKind channel,
      String body,
      @StoredAsWord @Nullable ConsentKeyword wish,
      @Nullable String cameTo,
      @Nullable String data,
      Instant receivedAt,
      Instant storedAt);

  /** Records the incident that a text belongs to. */
  @Query("UPDATE inbox SET incident_id = :incidentId WHERE provider_id = :providerId")
  int belongs(String providerId, String incidentId);

  /** Returns the provider's ids of texts, in order. */
  @Query("SELECT provider_id FROM inbox WHERE seq IN (:seqs) ORDER BY seq")
  List<String> providerIds(List<Long> seqs);

  /** Inserts texts without a consent keyword, in order; one array for each column. */
  @Query(
      """
      INSERT INTO inbox (participant_id, kind, provider_id, channel, body, received_at, stored_at, status)
      SELECT t.participant_id, 'said', t.provider_id, t.channel, t.body,
             CAST(:receivedAt AS timestamp(6) with time zone), CAST(:storedAt AS timestamp(6) with time zone), 'waiting'
      FROM UNNEST(CAST(:participantIds AS varchar ARRAY), CAST(:providerIds AS varchar ARRAY),
                  CAST(:channels AS varchar ARRAY), CAST(:bodies AS varchar ARRAY))
           WITH ORDINALITY AS t (participant_id, provider_id, channel, body, place)
      ORDER BY t.place
      ON CONFLICT DO NOTHING\
      """)
  int insertPlain(
      @TypeDef(type = DataType.STRING_ARRAY) String[] participantIds,
      @TypeDef(type = DataType.STRING_ARRAY) String[] providerIds,
      @TypeDef(type = DataType.STRING_ARRAY) String[] channels,
      @TypeDef(type = DataType.STRING_ARRAY) String[] bodies,
      Instant receivedAt,
      Instant storedAt);

  /**
   * Returns those of these ids that are stored. Each id is looked up by itself: PostgreSQL may have
   * planned this when the table was empty, and would go on reading all of it.
   */
  @Query(
      """
      SELECT t.provider_id FROM UNNEST(CAST(:providerIds AS varchar ARRAY)) AS t (provider_id)
      WHERE (SELECT i.seq FROM inbox i WHERE i.provider_id = t.provider_id) IS NOT NULL\
      """)
  Set<String> stored(@TypeDef(type = DataType.STRING_ARRAY) String[] providerIds);

  /** Inserts wake-ups, in order; one array for each column. */
  @Query(
      """
      INSERT INTO inbox (participant_id, kind, provider_id, body, received_at, stored_at, status)
      SELECT t.participant_id, 'woke', concat('wake_', t.wakeup), t.wakeup,
             CAST(:receivedAt AS timestamp(6) with time zone), CAST(:storedAt AS timestamp(6) with time zone), 'waiting'
      FROM UNNEST(CAST(:participantIds AS varchar ARRAY), CAST(:wakeups AS varchar ARRAY))
           WITH ORDINALITY AS t (participant_id, wakeup, place)
      ORDER BY t.place
      ON CONFLICT DO NOTHING\
      """)
  int insertWoke(
      @TypeDef(type = DataType.STRING_ARRAY) String[] participantIds,
      @TypeDef(type = DataType.STRING_ARRAY) String[] wakeups,
      Instant receivedAt,
      Instant storedAt);

  @Query(
      "SELECT stored_at FROM inbox WHERE kind = 'said' AND channel <> 'simulator' ORDER BY seq DESC LIMIT 1")
  Optional<Instant> newestFromProviders();

  /** Returns the channel of a participant's newest text, in the order of the index. */
  @Query(
      """
      SELECT channel FROM inbox WHERE participant_id = :participantId AND kind = 'said'
      ORDER BY participant_id DESC, seq DESC LIMIT 1\
      """)
  Optional<CameBy> lastChannel(String participantId);

  /** The channel of a text. */
  @MappedEntity
  record CameBy(@StoredAsWord ChannelKind channel) {}

  /**
   * Returns the sender of ours that a participant's newest text on a channel came to; blank if it
   * was the default one.
   */
  @Query(
      """
      SELECT COALESCE(came_to, '') FROM inbox
      WHERE participant_id = :participantId AND kind = 'said' AND channel = :channel
      ORDER BY participant_id DESC, seq DESC LIMIT 1\
      """)
  Optional<String> cameTo(String participantId, @StoredAsWord ChannelKind channel);

  @Query("INSERT INTO rcs_agent (agent, first_seen) VALUES (:agent, :now) ON CONFLICT DO NOTHING")
  int insertAgent(String agent, Instant now);

  @Query("SELECT agent FROM rcs_agent ORDER BY agent")
  List<String> agents();

  /** Returns when a participant's newest text came, in the order of the index. */
  @Query(
      """
      SELECT received_at FROM inbox WHERE participant_id = :participantId AND kind = 'said'
      ORDER BY participant_id DESC, seq DESC LIMIT 1\
      """)
  Optional<Instant> lastReceived(String participantId);

  /** Returns when a participant's newest text on a channel was stored. */
  @Query(
      """
      SELECT stored_at FROM inbox WHERE participant_id = :participantId AND kind = 'said' AND channel = :channel
      ORDER BY seq DESC LIMIT 1\
      """)
  Optional<Instant> lastStored(String participantId, @StoredAsWord ChannelKind channel);

  @Query("UPDATE inbox SET stored_at = :at WHERE provider_id = :providerId")
  int cameAt(String providerId, Instant at);

  @Query(
      """
      SELECT * FROM inbox WHERE participant_id = :participantId AND status = 'waiting'
      ORDER BY seq LIMIT :most\
      """)
  List<Row> waiting(String participantId, int most);

  @Query(
      "SELECT * FROM inbox WHERE participant_id = :participantId AND seq IN (:seqs) ORDER BY seq")
  List<Row> these(String participantId, List<Long> seqs);

  @Query(
      "SELECT body FROM inbox WHERE participant_id = :participantId AND turn = :turn AND kind = 'woke'")
  Optional<String> wakeupOf(String participantId, int turn);

  @Query(
      """
      UPDATE inbox SET status = 'done', turn = :turn
      WHERE participant_id = :participantId AND status = 'waiting' AND seq IN (:seqs)\
      """)
  int done(String participantId, int turn, List<Long> seqs);

  @Query(
      "UPDATE inbox SET status = 'done' WHERE participant_id = :participantId AND status = 'waiting'")
  int cancel(String participantId);

  @Query("SELECT COUNT(*) FROM inbox WHERE status = 'waiting'")
  int unfinished();

  /** Returns the waiting rows counted by kind; looks at this many rows at most. */
  @Query(
      """
      SELECT w.kind AS what, COUNT(*) AS count, MIN(w.stored_at) AS oldest, MIN(w.stored_at) AS due
      FROM (SELECT kind, stored_at FROM inbox WHERE status = 'waiting' LIMIT :most) w
      GROUP BY w.kind\
      """)
  List<Queued> queued(int most);

  /** Returns whose texts wait, longest wait first; looks at this many rows at most. */
  @Query(
      """
      SELECT w.participant_id AS participant_id, COUNT(*) AS texts, MIN(w.stored_at) AS since
      FROM (SELECT participant_id, stored_at FROM inbox
            WHERE status = 'waiting' AND kind = 'said' LIMIT :looked) w
      GROUP BY w.participant_id ORDER BY MIN(w.stored_at), w.participant_id LIMIT :most\
      """)
  List<Unanswered> unanswered(int looked, int most);

  @Query("DELETE FROM inbox WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Returns the participants with unfinished rows whose lease is free. */
  @Query(
      """
      SELECT DISTINCT i.participant_id FROM inbox i JOIN lease l ON l.participant_id = i.participant_id
      WHERE i.status = 'waiting' AND (l.owner IS NULL OR l.held_until < :now)
      LIMIT :most\
      """)
  List<String> due(Instant now, int most);

  @Query(
      """
      SELECT body, stored_at, incident_id FROM inbox
      WHERE participant_id = :participantId AND status = 'waiting' AND kind = 'said' ORDER BY seq\
      """)
  List<Waiting> open(String participantId);

  /** Returns the texts with these ids of a provider. */
  @Query(
      "SELECT provider_id, body, received_at FROM inbox WHERE provider_id IN (:ids) ORDER BY seq")
  List<Text> texts(List<String> ids);

  /** Returns a participant's newest text on a channel, with the id it came with. */
  @Query(
      """
      SELECT provider_id, body FROM inbox
      WHERE participant_id = :participantId AND kind = 'said' AND channel = :channel
      ORDER BY participant_id DESC, seq DESC LIMIT 1\
      """)
  Optional<Came> newest(String participantId, @StoredAsWord ChannelKind channel);

  /** A text and the id it came with. */
  @Introspected
  record Came(String providerId, String body) {}

  /** A row as stored. */
  @MappedEntity("inbox")
  record Row(
      @Id long seq,
      String participantId,
      @StoredAsWord InputKind kind,
      @StoredAsWord @Nullable ChannelKind channel,
      String body,
      @StoredAsWord @Nullable ConsentKeyword wish,
      Instant receivedAt,
      Instant storedAt,
      @Nullable String incidentId) {}

  /** A participant whose texts wait. */
  @Introspected
  record Unanswered(String participantId, long texts, Instant since) {}

  /** Waiting rows of one kind. */
  @MappedEntity
  record Queued(@StoredAsWord InputKind what, long count, Instant oldest, Instant due) {}

  /** A text that no committed turn has handled yet. */
  @Introspected
  record Waiting(String body, Instant storedAt, @Nullable String incidentId) {}

  /** The words of a text, under the provider's id. */
  @Introspected
  record Text(String providerId, String body, Instant receivedAt) {}
}
