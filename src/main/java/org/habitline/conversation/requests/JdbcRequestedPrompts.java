package org.habitline.conversation.requests;

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
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of requested prompts, of their schedules, and of the replies to them. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcRequestedPrompts extends GenericRepository<JdbcRequestedPrompts.Text, Long> {

  @Query(
      """
      INSERT INTO scripted_text (id, participant_id, type, asked_by, prompt, status, asked_at)
      VALUES (:id, :participantId, :type, :by, :prompt, 'waiting', :now)\
      """)
  void ask(String id, String participantId, String type, String by, String prompt, Instant now);

  /**
   * Inserts a message that was not requested at once: one from a schedule, or the reply to a
   * choice.
   */
  @Query(
      """
      INSERT INTO scripted_text (id, participant_id, schedule_id, type, asked_by, prompt, status, reason, turn,
                                 message_id, asked_at, settled_at)
      VALUES (:id, :participantId, :scheduleId, :type, :by, '', :status, :reason, :turn, :messageId, :now, :now)\
      """)
  void came(
      String id,
      String participantId,
      @Nullable String scheduleId,
      String type,
      String by,
      @StoredAsWord RequestedPrompts.Settled.Status status,
      @Nullable String reason,
      int turn,
      @Nullable String messageId,
      Instant now);

  @Query(
      """
      UPDATE scripted_text SET status = :status, reason = :reason, turn = :turn, message_id = :messageId,
             prompt = '', settled_at = :now
      WHERE id = :id AND status = 'waiting'\
      """)
  int settle(
      String id,
      @StoredAsWord RequestedPrompts.Settled.Status status,
      @Nullable String reason,
      int turn,
      @Nullable String messageId,
      Instant now);

  @Query("SELECT * FROM scripted_text WHERE id = :id AND status = 'waiting'")
  Optional<Text> waiting(String id);

  @Query(
      """
      SELECT t.seq, a.phone, t.status, t.message_id, COALESCE(t.settled_at, t.asked_at) AS at
      FROM scripted_text t
      JOIN participant p ON p.id = t.participant_id
      JOIN address a ON a.id = p.address_id
      WHERE t.seq < :before ORDER BY t.seq DESC LIMIT :most\
      """)
  List<Sent> newest(long before, int most);

  @Query("DELETE FROM scripted_text WHERE participant_id = :participantId")
  int eraseTexts(String participantId);

  @Query(
      """
      INSERT INTO prompt_schedule (id, participant_id, type, asked_by, prompt, rule, next_at, created_at)
      VALUES (:id, :participantId, :type, :by, :prompt, :rule, :nextAt, :now)\
      """)
  void schedule(
      String id,
      String participantId,
      String type,
      String by,
      String prompt,
      String rule,
      Instant nextAt,
      Instant now);

  @Query(
      """
      SELECT * FROM prompt_schedule WHERE ended_at IS NULL AND seq > :after ORDER BY seq LIMIT :most\
      """)
  List<Schedule> running(long after, int most);

  @Query("SELECT * FROM prompt_schedule WHERE id = :id AND ended_at IS NULL")
  Optional<Schedule> running(String id);

  /** Sets the next time of a schedule; returns 0 if the schedule has ended meanwhile. */
  @Query("UPDATE prompt_schedule SET next_at = :nextAt WHERE id = :id AND ended_at IS NULL")
  int moveOn(String id, Instant nextAt);

  @Query(
      "UPDATE prompt_schedule SET ended_at = :now, prompt = '' WHERE id = :id AND ended_at IS NULL")
  int end(String id, Instant now);

  @Query(
      """
      UPDATE prompt_schedule SET ended_at = :now, prompt = ''
      WHERE participant_id = :participantId AND ended_at IS NULL\
      """)
  int endAll(String participantId, Instant now);

  @Query("DELETE FROM prompt_schedule WHERE participant_id = :participantId")
  int eraseSchedules(String participantId);

  @Query(
      """
      INSERT INTO prompt_response (participant_id, sender, body, received_at)
      VALUES (:participantId, :sender, :body, :at)\
      """)
  void hear(@Nullable String participantId, String sender, String body, Instant at);

  @Query(
      """
      SELECT seq, sender, body, received_at FROM prompt_response WHERE seq < :before
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Heard> heard(long before, int most);

  @Query(
      """
      SELECT COUNT(*) AS total, COALESCE(AVG(CAST(CHAR_LENGTH(body) AS double precision)), 0) AS average
      FROM prompt_response\
      """)
  Totals totals();

  @Query(
      """
      SELECT sender, COUNT(*) AS count FROM prompt_response
      GROUP BY sender ORDER BY COUNT(*) DESC, sender LIMIT :most\
      """)
  List<BySender> bySender(int most);

  /**
   * Returns how many responses were recorded for a text of the inbox before it came there, while it
   * was an unclaimed text.
   */
  @Query(
      """
      SELECT COUNT(*) FROM inbox i
      JOIN unclaimed_text u ON u.provider_id = i.provider_id
      JOIN prompt_response r ON r.sender = SUBSTRING(u.sender FROM POSITION('+' IN u.sender)) AND r.body = u.body
      WHERE i.seq = :seq\
      """)
  int heardUnclaimed(long seq);

  @Query("UPDATE prompt_response SET participant_id = :to WHERE participant_id = :from")
  int giveResponses(String from, String to);

  @Query("DELETE FROM prompt_response WHERE participant_id = :participantId")
  int eraseResponses(String participantId);

  /** Deletes responses recorded from the participant's number before it was known to be theirs. */
  @Query(
      """
      DELETE FROM prompt_response
      WHERE participant_id IS NULL
        AND sender = (SELECT a.phone FROM participant p JOIN address a ON a.id = p.address_id
                      WHERE p.id = :participantId)\
      """)
  int eraseResponsesFromNumberOf(String participantId);

  /** A requested prompt. */
  @MappedEntity("scripted_text")
  record Text(
      @Id long seq, String id, String participantId, String type, String askedBy, String prompt) {}

  /** A requested prompt with its delivery status. */
  @MappedEntity
  record Sent(
      long seq,
      String phone,
      @StoredAsWord RequestedPrompts.Settled.Status status,
      @Nullable String messageId,
      Instant at) {}

  /** A running schedule. */
  @MappedEntity("prompt_schedule")
  record Schedule(
      @Id long seq,
      String id,
      String participantId,
      String type,
      String askedBy,
      String prompt,
      String rule,
      Instant nextAt,
      Instant createdAt) {}

  /** One response. */
  @Introspected
  record Heard(long seq, String sender, String body, Instant receivedAt) {}

  /** Totals of all responses. */
  @Introspected
  record Totals(long total, double average) {}

  /** The number of one sender's responses. */
  @Introspected
  record BySender(String sender, long count) {}
}
