package org.habitline.protocol;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.habitline.config.Section;

/**
 * How long each kind of data is kept: the section {@code retention} of {@code config/study.yaml}.
 *
 * @param days the days of each kind that the file names; empty for {@code never}
 */
public record RetentionPlan(Map<Kind, Optional<Integer>> days) {

  private static final int MOST_DAYS = 36_500;

  public RetentionPlan {
    days = Map.copyOf(days);
  }

  /** A kind of data. */
  public enum Kind {
    /** The providers' original requests. */
    RAW_POSTS("Original requests of providers"),
    /** The words of texts from senders who are not enrolled. */
    UNCLAIMED_TEXTS("Unmatched texts"),
    /** The words of conversations and of the model calls behind them. */
    TRANSCRIPTS("Conversations"),
    /** The entries of the audit log. */
    AUDIT("Audit log"),
    /** The backups of the H2 file. */
    BACKUPS("Backups");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /** Returns the words for the pages. */
    public String title() {
      return title;
    }

    /** Returns the key in the file. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the plan of a study that does not say how long data is kept. */
  static RetentionPlan none() {
    return new RetentionPlan(Map.of());
  }

  static RetentionPlan read(Section keys) {
    keys.only(Arrays.stream(Kind.values()).map(Kind::word).toArray(String[]::new));
    var days = new EnumMap<Kind, Optional<Integer>>(Kind.class);
    for (var kind : Kind.values()) {
      if (keys.has(kind.word())) {
        days.put(
            kind,
            keys.decimalOr("never", kind.word(), BigDecimal.ONE, MOST_DAYS)
                .map(BigDecimal::intValueExact));
      }
    }
    return new RetentionPlan(days);
  }

  /** Returns what applies, one sentence for each kind. */
  public List<String> sentences() {
    return Arrays.stream(Kind.values()).map(this::sentence).toList();
  }

  private String sentence(Kind kind) {
    var ends = daysOf(kind).map(days -> "removed after " + days + " days.");
    return kind.word()
        + ": "
        + ends.orElse(
            kind == Kind.RAW_POSTS && !names(kind)
                ? "removed as the setting RAW_RETENTION says."
                : "kept.");
  }

  /** Returns whether the file names this kind. */
  public boolean names(Kind kind) {
    return days.containsKey(kind);
  }

  /** Returns after how many days data of a kind is removed, or empty if the file sets no end. */
  public Optional<Integer> daysOf(Kind kind) {
    return days.getOrDefault(kind, Optional.empty());
  }
}
