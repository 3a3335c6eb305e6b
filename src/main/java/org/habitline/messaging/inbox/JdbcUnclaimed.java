package org.habitline.messaging.inbox;

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

/** Rows of texts from senders who are not enrolled. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcUnclaimed extends GenericRepository<JdbcUnclaimed.Row, Long> {

  String NOBODYS_BUT_THEIRS =
      """
      u.participant_id IS NULL
      AND (u.sender LIKE (SELECT concat('%', a.phone) FROM participant p JOIN address a ON a.id = p.address_id
                          WHERE p.id = :participantId)
           OR u.sender IN (SELECT s.sender FROM sender_alias s WHERE s.participant_id = :participantId)
           OR u.user_id IN (SELECT s.sender FROM sender_alias s WHERE s.participant_id = :participantId))\
      """;

  @Query(
      """
      INSERT INTO unclaimed_text (provider_id, channel, sender, body, told, user_id, came_to, data, received_at)
      VALUES (:providerId, :channel, :sender, :body, :told, :userId, :cameTo, :data, :now)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String providerId,
      @StoredAsWord ChannelKind channel,
      String sender,
      String body,
      @StoredAsWord @Nullable ConsentKeyword told,
      @Nullable String userId,
      @Nullable String cameTo,
      @Nullable String data,
      Instant now);

  @Query(
      """
      SELECT * FROM unclaimed_text WHERE seq < :before AND status IN (:statuses)
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> newest(@StoredAsWord List<Unclaimed.Status> statuses, long before, int most);

  /** Returns the texts with these ids of a provider that still have their words. */
  @Query(
      """
      SELECT provider_id, body, received_at FROM unclaimed_text
      WHERE provider_id IN (:ids) AND status <> 'erased' ORDER BY seq\
      """)
  List<JdbcInbox.Text> texts(List<String> ids);

  /** Counts waiting texts from a number, whatever prefix the provider writes before it. */
  @Query(
      """
      SELECT COUNT(*) FROM unclaimed_text WHERE status = 'waiting' AND sender LIKE concat('%', :number)\
      """)
  int waitingFrom(String number);

  /** Returns when the newest text from a number came on a channel. */
  @Query(
      """
      SELECT received_at FROM unclaimed_text
      WHERE channel = :channel AND sender LIKE concat('%', :number) ORDER BY seq DESC LIMIT 1\
      """)
  Optional<Instant> lastFrom(@StoredAsWord ChannelKind channel, String number);

  @Query(
      """
      SELECT COUNT(*) FROM (SELECT seq FROM unclaimed_text WHERE status = 'waiting' LIMIT :most) w\
      """)
  int waiting(int most);

  @Query("SELECT * FROM unclaimed_text WHERE seq = :seq")
  Optional<Row> find(long seq);

  /** Claims a waiting text; returns 0 if it was decided before. */
  @Query(
      """
      UPDATE unclaimed_text SET status = 'claimed', participant_id = :participantId, decided_at = :now
      WHERE seq = :seq AND status = 'waiting'\
      """)
  int claim(long seq, String participantId, Instant now);

  @Query(
      """
      UPDATE unclaimed_text SET status = 'dismissed', reason = :reason, decided_at = :now
      WHERE seq = :seq AND status = 'waiting'\
      """)
  int dismiss(long seq, String reason, Instant now);

  /**
   * Clears the contents of the rows. The ids stay, so that a text which the provider repeats is
   * still recognised.
   */
  @Query(
      """
      UPDATE unclaimed_text SET sender = '', body = '', user_id = NULL, came_to = NULL, data = NULL,
             reason = NULL
      WHERE participant_id = :participantId\
      """)
  int erase(String participantId);

  /**
   * Keeps the ids of a participant's texts and nothing else, so that reading a provider's list
   * again does not bring back an erased participant.
   */
  @Query(
      """
      INSERT INTO unclaimed_text (provider_id, channel, sender, body, received_at, status)
      SELECT provider_id, channel, '', '', received_at, 'erased' FROM inbox
      WHERE participant_id = :participantId AND kind = 'said' AND channel <> 'simulator' AND stored_at > :since
      ON CONFLICT DO NOTHING\
      """)
  int keepIds(String participantId, Instant since);

  /**
   * Returns the ids of unclaimed texts that came from the participant's number, or from a sender
   * whose provider name belongs to the participant.
   */
  @Query("SELECT u.provider_id FROM unclaimed_text u WHERE " + NOBODYS_BUT_THEIRS)
  List<String> nobodysButTheirs(String participantId);

  /** Clears the contents of those texts, as {@link #erase} does. */
  @Query(
      """
      UPDATE unclaimed_text u SET sender = '', body = '', user_id = NULL, came_to = NULL, data = NULL,
             reason = NULL, status = 'erased'
      WHERE \
      """
          + NOBODYS_BUT_THEIRS)
  int eraseNobodysButTheirs(String participantId);

  /** Keeps the id of a text from an erased participant, and nothing else of it. */
  @Query(
      """
      INSERT INTO unclaimed_text (provider_id, channel, sender, body, received_at, status)
      VALUES (:providerId, :channel, '', '', :now, 'erased')
      ON CONFLICT DO NOTHING\
      """)
  int keepId(String providerId, @StoredAsWord ChannelKind channel, Instant now);

  /** Returns the newest texts that came under a name before it was linked to a participant. */
  @Query(
      """
      SELECT * FROM unclaimed_text WHERE sender = :name AND participant_id IS NULL AND status <> 'erased'
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Row> under(String name, int most);

  /** Returns the first texts of which only the id is left. */
  @Query(
      """
      SELECT u.seq FROM unclaimed_text u WHERE u.status = 'erased' AND u.received_at < :before
      ORDER BY u.seq LIMIT :most\
      """)
  List<Long> erased(Instant before, int most);

  @Query("DELETE FROM unclaimed_text WHERE seq IN (:seqs)")
  int delete(List<Long> seqs);

  @Query("SELECT COUNT(*) FROM unclaimed_text WHERE provider_id = :providerId")
  int known(String providerId);

  /** Returns those of these ids that are known, each looked up by itself. */
  @Query(
      """
      SELECT t.provider_id FROM UNNEST(CAST(:providerIds AS varchar ARRAY)) AS t (provider_id)
      WHERE (SELECT u.seq FROM unclaimed_text u WHERE u.provider_id = t.provider_id) IS NOT NULL\
      """)
  Set<String> known(@TypeDef(type = DataType.STRING_ARRAY) String[] providerIds);

  /** A row as stored. */
  @MappedEntity("unclaimed_text")
  record Row(
      @Id long seq,
      String providerId,
      @StoredAsWord ChannelKind channel,
      String sender,
      String body,
      @StoredAsWord @Nullable ConsentKeyword told,
      Instant receivedAt,
      @StoredAsWord Unclaimed.Status status,
      @Nullable Instant decidedAt,
      @Nullable String reason,
      @Nullable String participantId,
      @Nullable String userId,
      @Nullable String cameTo,
      @Nullable String data) {}
}
