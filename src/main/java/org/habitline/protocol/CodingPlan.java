package org.habitline.protocol;

import org.habitline.config.Section;

/**
 * Which daily prompts staff code besides the coder: the section {@code coding} of {@code
 * config/study.yaml}.
 *
 * @param share the share of the prompts with a reply, from 0 to 1
 * @param seed decides which prompts are in the share
 */
public record CodingPlan(double share, String seed) {

  private static final double USUAL_SHARE = 0.1;
  private static final String USUAL_SEED = "habitline";
  private static final int LONGEST_SEED = 200;

  /** Returns the plan of a study that says nothing about coding. */
  public static CodingPlan usual() {
    return new CodingPlan(USUAL_SHARE, USUAL_SEED);
  }

  static CodingPlan read(Section coding) {
    coding.only("share", "seed");
    var share = coding.optionalNumber("share", 0, 1);
    var seed = coding.optionalText("seed", LONGEST_SEED);
    return new CodingPlan(share == null ? USUAL_SHARE : share, seed == null ? USUAL_SEED : seed);
  }
}
