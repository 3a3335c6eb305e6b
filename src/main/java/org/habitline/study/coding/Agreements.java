package org.habitline.study.coding;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import org.habitline.storage.Transactions;

/** Counts how far the coach's records, the model's coder and staff agree. */
@Singleton
public final class Agreements {

  /** How many versions of the coder are shown, the last ones. */
  private static final int MOST_VERSIONS = 20;

  private final JdbcOutcomeCodes rows;
  private final Transactions transactions;

  Agreements(JdbcOutcomeCodes rows, Transactions transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  /**
   * One version of the model's coder.
   *
   * @param codes how many prompts it coded
   * @param withoutText how many of them had no text, so that no model was asked
   * @param coachAndCoder what the coach recorded, in rows, and the coder; unknown counts as unclear
   * @param coderAndStaff the coder, in rows, and every member of staff
   */
  @Schema(name = "CoderVersion")
  public record Version(
      String coderVersion,
      long codes,
      long withoutText,
      Agreement coachAndCoder,
      Agreement coderAndStaff) {}

  /**
   * All agreement there is.
   *
   * @param versions the versions of the coder, the one that coded last first; at most 20
   * @param staffAndStaff all pairs of members of staff about one prompt; the one whose name comes
   *     first is in rows
   */
  @Schema(name = "OutcomeAgreement")
  public record All(List<Version> versions, Agreement staffAndStaff) {}

  /** Returns the agreement as it is now. */
  public All all() {
    return transactions.read(() ->
        new All(
            rows.versions(MOST_VERSIONS).stream().map(this::version).toList(),
            agreement(rows.staffAndStaff())));
  }

  private Version version(JdbcOutcomeCodes.Version version) {
    return new Version(
        version.coderVersion(),
        version.codes(),
        version.withoutText(),
        agreement(rows.coachAndModel(version.coderVersion())),
        agreement(rows.modelAndStaff(version.coderVersion())));
  }

  /** Counts pairs about texts; a prompt without one is no agreement. */
  private static Agreement agreement(List<JdbcOutcomeCodes.Pair> pairs) {
    var size = CodedOutcome.OF_TEXTS.size();
    var table = new long[size][size];
    for (var pair : pairs) {
      var one = place(Objects.requireNonNullElse(pair.one(), CodedOutcome.UNCLEAR.word()));
      var other = place(pair.other());
      if (one >= 0 && other >= 0) {
        table[one][other] += pair.times();
      }
    }
    return Agreement.of(table);
  }

  private static int place(String word) {
    return CodedOutcome.ofText(word).map(CodedOutcome.OF_TEXTS::indexOf).orElse(-1);
  }
}
