package org.habitline.staff.study;

import java.util.Locale;
import org.habitline.staff.web.PageFrame;
import org.habitline.study.coding.Agreement;
import org.habitline.study.coding.Agreements;
import org.habitline.study.coding.DoubleCoding;

/**
 * The page of coded outcomes: how far coders agree.
 *
 * @param share the share that staff code, in per cent
 * @param from the prompts that it is taken from
 */
public record OutcomesPage(
    PageFrame frame,
    Agreements.All agreement,
    DoubleCoding.Progress progress,
    String share,
    DoubleCoding.Frame from) {

  /** Returns what the share is taken from, in one sentence. */
  public String frameOfShare() {
    return String.format(
        Locale.ENGLISH,
        "Daily prompts that were sent at least 24 hours ago and got a reply: %,d. Staff also code %s of them, chosen at random: %,d so far.",
        from.answered(),
        share,
        from.share());
  }

  /** Returns the figures of an agreement in one sentence. */
  public static String figures(Agreement agreement) {
    if (agreement.n() == 0) {
      return "No prompt has both codes yet.";
    }
    return String.format(
        Locale.ROOT,
        "%d of %d agree (%.0f%%). %s",
        agreement.agreed(),
        agreement.n(),
        100.0 * agreement.agreed() / agreement.n(),
        kappa(agreement));
  }

  private static String kappa(Agreement agreement) {
    return agreement.kappa() == null
        ? "Kappa cannot be computed, because only one category was used."
        : String.format(
            Locale.ROOT,
            "Cohen's kappa %.2f (95%% interval %.2f to %.2f).",
            agreement.kappa(),
            agreement.kappaLow(),
            agreement.kappaHigh());
  }

  /** Returns a category for people. */
  public static String title(String category) {
    return category.replace('_', ' ');
  }
}
