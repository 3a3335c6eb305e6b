package org.habitline.participants;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.Collection;
import java.util.List;

/** Tags, one row for each participant and tag. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcTags extends GenericRepository<JdbcParticipants.Row, String> {

  @Query("INSERT INTO participant_tag (participant_id, tag) VALUES (:participantId, :tag)")
  int insert(String participantId, String tag);

  @Query("DELETE FROM participant_tag WHERE participant_id = :participantId AND tag = :tag")
  int delete(String participantId, String tag);

  @Query("DELETE FROM participant_tag WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Returns the tags of these participants; each has a few dozen at most. */
  @Query(
      """
      SELECT participant_id, tag FROM participant_tag
      WHERE participant_id IN (:participantIds) ORDER BY participant_id, tag\
      """)
  List<Tagged> of(Collection<String> participantIds);

  /** Returns the tags that any participant has, in order. */
  @Query("SELECT DISTINCT tag FROM participant_tag ORDER BY tag LIMIT :most")
  List<String> all(int most);

  /** A tag of a participant. */
  @Introspected
  record Tagged(String participantId, String tag) {}
}
