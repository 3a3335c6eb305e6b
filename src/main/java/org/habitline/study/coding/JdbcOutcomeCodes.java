package org.habitline.study.coding;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.GeneratedValue;
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

/** Rows of coded outcomes. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOutcomeCodes extends GenericRepository<JdbcOutcomeCodes.Row, Long> {

  /** Selects the code of one coder about one prompt; one of the two names is {@code null}. */
  String THIS =
      " WHERE participant_id = :participantId AND local_date = :localDate AND slot = :slot"
          + " AND (coder_version = :version OR coded_by = :who) ";

  /**
   * An expression with the outcome of a prompt {@code o} that the coach recorded, by a rule or a
   * model: what staff corrected by hand is no proposal of the coach's. Outcomes from before the
   * changes were kept have none.
   */
  String RECORDED =
      """
      CASE WHEN EXISTS (SELECT 1 AS found FROM outcome_change h WHERE h.participant_id = o.participant_id
                        AND h.local_date = o.local_date AND h.slot = o.slot)
        THEN (SELECT h.new_outcome FROM outcome_change h
              WHERE h.participant_id = o.participant_id AND h.local_date = o.local_date AND h.slot = o.slot
                AND h.recorded_by <> 'staff' ORDER BY h.seq DESC LIMIT 1)
        ELSE o.outcome END\
      """;

  Row save(Row code);

  @Query(
      "UPDATE outcome_code SET outcome_coded = :said, model_returned = :modelReturned, texts = :number, last_message_id = :last, coded_at = :at"
          + THIS)
  int change(
      String participantId,
      String localDate,
      int slot,
      @Nullable String version,
      @Nullable String who,
      @StoredAsWord CodedOutcome said,
      @Nullable String modelReturned,
      int number,
      @Nullable String last,
      Instant at);

  @Query(
      "SELECT * FROM outcome_code WHERE participant_id = :participantId AND coder_version = :version LIMIT :most")
  List<Row> ofVersion(String participantId, String version, int most);

  @Query(
      "SELECT * FROM outcome_code WHERE coded_by = :who ORDER BY coded_by DESC, coded_at DESC, seq DESC LIMIT 1")
  Optional<Row> lastOfStaff(String who);

  @Query("SELECT COUNT(*) FROM outcome_code WHERE coded_by = :who")
  int numberOfStaff(String who);

  /** Returns the versions of the model's coder, the one that coded last first. */
  @Query(
      """
      SELECT c.coder_version AS coder_version, COUNT(*) AS codes,
             SUM(CASE WHEN c.outcome_coded = 'no_answer' THEN 1 ELSE 0 END) AS without_text
      FROM outcome_code c JOIN participant p ON p.id = c.participant_id
      WHERE c.coder = 'model' AND p.erasing = 'no' AND p.contact = FALSE
      GROUP BY c.coder_version ORDER BY MAX(c.coded_at) DESC LIMIT :most\
      """)
  List<Version> versions(int most);

  /** Counts how often each outcome that the coach recorded meets each code of a version. */
  @Query(
      "SELECT x.one AS one, x.other AS other, COUNT(*) AS times FROM (SELECT "
          + RECORDED
          + """
           AS one, c.outcome_coded AS other
          FROM outcome_code c JOIN participant p ON p.id = c.participant_id
            JOIN occurrence o ON o.participant_id = c.participant_id AND o.local_date = c.local_date AND o.slot = c.slot
          WHERE c.coder_version = :version AND p.erasing = 'no' AND p.contact = FALSE) x
          GROUP BY x.one, x.other\
          """)
  List<Pair> coachAndModel(String version);

  /** Counts how often each code of a version meets each code of staff. */
  @Query(
      """
      SELECT c.outcome_coded AS one, s.outcome_coded AS other, COUNT(*) AS times
      FROM outcome_code c JOIN participant p ON p.id = c.participant_id
        JOIN outcome_code s ON s.participant_id = c.participant_id AND s.local_date = c.local_date AND s.slot = c.slot
      WHERE c.coder_version = :version AND s.coder = 'staff' AND p.erasing = 'no' AND p.contact = FALSE
      GROUP BY c.outcome_coded, s.outcome_coded\
      """)
  List<Pair> modelAndStaff(String version);

  /** Counts how often codes of two members of staff meet; who comes first is a matter of names. */
  @Query(
      """
      SELECT c.outcome_coded AS one, s.outcome_coded AS other, COUNT(*) AS times
      FROM outcome_code c JOIN participant p ON p.id = c.participant_id
        JOIN outcome_code s ON s.participant_id = c.participant_id AND s.local_date = c.local_date AND s.slot = c.slot
          AND c.coded_by < s.coded_by
      WHERE c.coder = 'staff' AND s.coder = 'staff' AND p.erasing = 'no' AND p.contact = FALSE
      GROUP BY c.outcome_coded, s.outcome_coded\
      """)
  List<Pair> staffAndStaff();

  @Query("DELETE FROM outcome_code WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A version of the model's coder with the number of its codes. */
  @Introspected
  record Version(String coderVersion, long codes, long withoutText) {}

  /**
   * How often two codes meet.
   *
   * @param one {@code null} if none was recorded
   */
  @Introspected
  record Pair(@Nullable String one, String other, long times) {}

  /** A row as stored. */
  @MappedEntity("outcome_code")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      String localDate,
      int slot,
      @StoredAsWord Coder coder,
      @Nullable String coderVersion,
      @Nullable String codedBy,
      @StoredAsWord CodedOutcome outcomeCoded,
      int texts,
      @Nullable String lastMessageId,
      Instant codedAt,
      @Nullable String modelReturned) {}
}
