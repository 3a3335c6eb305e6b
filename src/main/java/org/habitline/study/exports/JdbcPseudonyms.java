package org.habitline.study.exports;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;

/** Rows of pseudonyms, and what goes with a participant who is erased. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcPseudonyms extends GenericRepository<JdbcPseudonyms.Row, String> {

  /** Returns some participants without a pseudonym, in any order. */
  @Query(
      """
      SELECT p.id AS id FROM participant p WHERE p.contact = FALSE AND p.erasing = 'no'
        AND NOT EXISTS (SELECT 1 AS found FROM pseudonym s WHERE s.participant_id = p.id)
      LIMIT :most\
      """)
  List<Row> missing(int most);

  /**
   * Does nothing if the participant has a pseudonym or is leaving, or somebody else has this one.
   */
  @Query(
      """
      INSERT INTO pseudonym (participant_id, word)
      SELECT p.id, CAST(:word AS varchar(40)) FROM participant p WHERE p.id = :participantId AND p.erasing = 'no'
      ON CONFLICT DO NOTHING\
      """)
  int insert(String participantId, String word);

  @Query("DELETE FROM pseudonym WHERE participant_id = :participantId")
  int forget(String participantId);

  @Query("DELETE FROM decision WHERE participant_id = :participantId")
  int forgetDecisions(String participantId);

  /** Counts an erased participant, unless it is the example participant of the guided tour. */
  @Query(
      """
      INSERT INTO erased_count (id, study_day) SELECT :id, CAST(:studyDay AS integer) FROM participant p
      WHERE p.id = :participantId AND NOT EXISTS (SELECT 1 FROM tour t WHERE t.participant_id = p.id)\
      """)
  int countErased(String id, int studyDay, String participantId);

  /** A participant. */
  @MappedEntity("participant")
  record Row(@Id String id) {}
}
