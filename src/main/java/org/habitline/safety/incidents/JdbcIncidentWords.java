package org.habitline.safety.incidents;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;

/**
 * Removes the words of incidents. Every row stays with its id and time, so that the transcript
 * keeps its order and what refers to a row finds it.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcIncidentWords extends GenericRepository<JdbcIncidents.Row, String> {

  /** Selects the provider's ids of the texts that belong to an incident. */
  String TEXTS =
      """
      (SELECT e.text_id FROM incident_entry e WHERE e.incident_id = :which AND e.text_id IS NOT NULL
       UNION SELECT i.provider_id FROM inbox i WHERE i.incident_id = :which
       UNION SELECT i.provider_id FROM inbox i JOIN message m ON m.participant_id = i.participant_id AND m.turn = i.turn
             WHERE m.incident_id = :which AND m.author = 'participant' AND i.kind = 'said')\
      """;

  /** Returns released incidents whose words are still there. */
  @Query(
      """
      SELECT id FROM incident
      WHERE status = 'released' AND released_at <= :before AND words_removed_at IS NULL ORDER BY id LIMIT :most\
      """)
  List<String> releasedBefore(Instant before, int most);

  @Query("DELETE FROM raw_post WHERE provider_id IN " + TEXTS)
  int removePosts(String which);

  @Query("UPDATE unclaimed_text SET body = '', data = NULL WHERE provider_id IN " + TEXTS)
  int removeUnclaimed(String which);

  @Query(
      "UPDATE inbox SET body = '', data = NULL WHERE status = 'done' AND provider_id IN " + TEXTS)
  int removeTexts(String which);

  @Query(
      """
      UPDATE simulated_phone_text SET body = ''
      WHERE delivery_id IN (SELECT o.id FROM outbox o JOIN message m ON m.id = o.message_id WHERE m.incident_id = :which)\
      """)
  int removeFromPhones(String which);

  @Query(
      """
      UPDATE outbox SET body = '', template = NULL, buttons = NULL
      WHERE open = FALSE AND message_id IN (SELECT m.id FROM message m WHERE m.incident_id = :which)\
      """)
  int removeDeliveries(String which);

  @Query("UPDATE message SET content = '' WHERE incident_id = :which")
  int removeMessages(String which);

  /** Removes the notes of staff and the links to the texts. */
  @Query("UPDATE incident_entry SET note = NULL, text_id = NULL WHERE incident_id = :which")
  int removeNotes(String which);

  @Query(
      "UPDATE incident SET words_removed_at = :now WHERE id = :which AND words_removed_at IS NULL")
  int removed(String which, Instant now);

  /** Returns whether an incident is a crisis: the texts of a concern stay in the conversation. */
  @Query("SELECT COUNT(*) FROM incident WHERE id = :which AND level = 'crisis'")
  int isCrisis(String which);
}
