package org.habitline.safety.opinions;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of second opinions. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOpinions extends GenericRepository<JdbcOpinions.Row, String> {

  Row save(Row opinion);

  @Query("SELECT * FROM second_opinion WHERE participant_id = :participantId AND turn = :turn")
  Optional<Row> find(String participantId, int turn);

  @Query("SELECT * FROM second_opinion ORDER BY recorded_at DESC LIMIT :most")
  List<Row> newest(int most);

  @Query("DELETE FROM second_opinion WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("second_opinion")
  record Row(
      @Id String participantId,
      int turn,
      @StoredAsWord SecondOpinionPlan.By source,
      @StoredAsWord OpinionStatus status,
      @StoredAsWord Level level,
      @StoredAsWord @Nullable RiskKind kind,
      @Nullable String language,
      String model,
      @Nullable String promptSha256,
      long promptTokens,
      long completionTokens,
      long latencyMillis,
      Instant recordedAt) {

    static Row of(String participantId, int turn, Opinion opinion, Instant at) {
      var source = opinion.source();
      return new Row(
          participantId,
          turn,
          source.by(),
          opinion.status(),
          opinion.level(),
          opinion.kind(),
          opinion.language(),
          source.model(),
          source.promptSha256(),
          source.promptTokens(),
          source.completionTokens(),
          source.latencyMillis(),
          at);
    }

    Opinion opinion() {
      return new Opinion(
          status,
          level,
          kind,
          language,
          new Opinion.Source(
              source, model, promptSha256, promptTokens, completionTokens, latencyMillis));
    }
  }
}
