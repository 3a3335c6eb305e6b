package org.habitline.staff.today;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.safety.incidents.Incident;
import org.jspecify.annotations.Nullable;

/** Finds stuck participants. Only {@link StuckPeople} uses it. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcStuck extends GenericRepository<JdbcStuck.Row, String> {

  /** Excludes participants paused by a crisis: only the incident may ask staff to write to them. */
  String NO_CRISIS =
      " AND NOT EXISTS (SELECT 1 FROM incident i WHERE i.participant_id = p.id AND "
          + Incident.PAUSES_COACHING
          + ")";

  /** Returns active participants of a flow who have been in its first module since before then. */
  @Query(
      """
      SELECT p.id AS participant_id, COALESCE(d.updated_at, p.enrolled_at) AS since
      FROM participant p JOIN address a ON a.id = p.address_id AND a.opted_out = FALSE
        LEFT JOIN state_data d ON d.participant_id = p.id AND d.data_key = 'conversationState'
      WHERE p.status = 'active' AND p.erasing = 'no' AND p.contact = FALSE AND p.flow = :flow
        AND p.consent NOT IN ('declined', 'not_eligible') AND p.enrolled_at < :before
        AND COALESCE(d.data_value, :first) = :first AND COALESCE(d.updated_at, p.enrolled_at) < :before\
      """
          + NO_CRISIS
          + " ORDER BY since, participant_id LIMIT :most")
  List<Since> inFirstModule(String flow, String first, Instant before, int most);

  /**
   * Returns active participants who got at least so many daily prompts since their last text, or
   * since their enrolment, and did not answer as many since a local date; the longest silent first.
   */
  @Query(
      """
      SELECT n.participant_id AS participant_id, n.since AS since, n.prompts AS prompts FROM (
      SELECT c.participant_id AS participant_id, c.last_text AS since,
             (SELECT COUNT(*) FROM occurrence s
              WHERE s.participant_id = c.participant_id AND s.status = 'sent' AND s.sent_at > c.last_text) AS prompts
      FROM (SELECT g.participant_id AS participant_id,
                   COALESCE((SELECT m.created_at FROM message m
                             WHERE m.participant_id = g.participant_id AND m.author = 'participant'
                             ORDER BY m.participant_id DESC, m.seq DESC LIMIT 1), p.enrolled_at) AS last_text
            FROM (SELECT o.participant_id AS participant_id FROM occurrence o
                  WHERE o.local_date >= :first AND o.status = 'sent' AND o.responded_at IS NULL
                  GROUP BY o.participant_id HAVING COUNT(*) >= :prompts) g
              JOIN participant p ON p.id = g.participant_id AND p.status = 'active' AND p.erasing = 'no'\
      """
          + NO_CRISIS
          + """

                  JOIN address a ON a.id = p.address_id AND a.opted_out = FALSE) c) n
          WHERE n.prompts >= :prompts ORDER BY n.since, n.participant_id LIMIT :most\
          """)
  List<Silent> silent(String first, int prompts, int most);

  /**
   * Returns active participants of a flow who have left its first module before then and have no
   * daily prompt scheduled.
   */
  @Query(
      """
      SELECT p.id AS participant_id,
             COALESCE((SELECT MAX(s.ended_at) FROM schedule s WHERE s.participant_id = p.id), d.updated_at) AS since
      FROM participant p JOIN address a ON a.id = p.address_id AND a.opted_out = FALSE
        JOIN state_data d ON d.participant_id = p.id AND d.data_key = 'conversationState'
      WHERE p.status = 'active' AND p.erasing = 'no' AND p.contact = FALSE AND p.flow = :flow
        AND d.data_value <> :first AND d.updated_at < :before
        AND NOT EXISTS (SELECT 1 FROM schedule s WHERE s.participant_id = p.id AND s.ended_at IS NULL)\
      """
          + NO_CRISIS
          + " ORDER BY since, participant_id LIMIT :most")
  List<Since> withoutSchedule(String flow, String first, Instant before, int most);

  /** A participant, and since when. */
  @Introspected
  record Since(String participantId, Instant since) {}

  /** A participant, since when they are silent, and how many prompts they got since. */
  @Introspected
  record Silent(String participantId, Instant since, long prompts) {}

  /** A participant as stored. */
  @MappedEntity("participant")
  record Row(@Id String id, @Nullable String name) {}
}
