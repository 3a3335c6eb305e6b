package org.habitline.conversation.configuration;

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

/** Rows of configuration versions. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcConfigurationVersions extends GenericRepository<JdbcConfigurationVersions.Row, Long> {

  /** Inserts a version, unless another node has just inserted one with this number. */
  @Query(
      """
      INSERT INTO configuration_version (number, sha256, node, began_at, reason)
      VALUES (:number, :sha256, :node, :beganAt, :reason) ON CONFLICT DO NOTHING\
      """)
  int insert(
      long number,
      String sha256,
      String node,
      Instant beganAt,
      @StoredAsWord ConfigurationVersions.Reason reason);

  @Query("SELECT * FROM configuration_version ORDER BY number DESC LIMIT 1")
  Optional<Row> newest();

  /** Returns versions before a number, newest first. */
  @Query(
      """
      SELECT c.number AS number, c.sha256 AS sha256, c.node AS node, c.began_at AS began_at, c.reason AS reason,
             (SELECT n.began_at FROM configuration_version n WHERE n.number = c.number + 1) AS ended_at
      FROM configuration_version c WHERE c.number < :before ORDER BY c.number DESC LIMIT :most\
      """)
  List<Dated> before(long before, int most);

  /** A row as stored. */
  @MappedEntity("configuration_version")
  record Row(
      @Id long number,
      String sha256,
      String node,
      Instant beganAt,
      @StoredAsWord ConfigurationVersions.Reason reason) {}

  /** A version with the time when the next one began. */
  @MappedEntity
  record Dated(
      long number,
      String sha256,
      String node,
      Instant beganAt,
      @StoredAsWord ConfigurationVersions.Reason reason,
      @Nullable Instant endedAt) {}
}
