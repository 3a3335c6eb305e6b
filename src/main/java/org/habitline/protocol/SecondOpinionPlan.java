package org.habitline.protocol;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/**
 * Who gives a second opinion about the texts that reach the coach: the section {@code
 * safety.second_opinion} of {@code config/study.yaml}.
 *
 * @param model the model to ask, or {@code null} for the usual one
 * @param timeout how long the reply waits for it at most, from the moment at which the coach begins
 */
public record SecondOpinionPlan(By by, @Nullable String model, Duration timeout) {

  private static final int LONGEST = 200;
  private static final int MOST_SECONDS = 30;
  private static final int USUAL_SECONDS = 5;

  /** What a study without one must know; the figure is that of the unseen texts in the guide. */
  public static final String OFF =
      "Without safety.second_opinion the rules decide alone. On new texts they found about 8 of 10"
          + " crises. A second opinion also looks for what they miss.";

  /** Who is asked. */
  public enum By {
    /** A chat model, with a prompt file and a fixed schema. */
    MODEL,
    /** The moderation endpoint of the model server. */
    MODERATION;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Optional<SecondOpinionPlan> read(Section safety) {
    return safety
        .optionalSection("second_opinion")
        .map(keys -> {
          keys.only("by", "model", "timeout");
          return new SecondOpinionPlan(
              by(keys),
              keys.optionalText("model", LONGEST),
              Duration.ofSeconds(keys.integer("timeout", 1, MOST_SECONDS, USUAL_SECONDS)));
        });
  }

  private static By by(Section keys) {
    var given = keys.text("by", LONGEST);
    return Arrays.stream(By.values())
        .filter(by -> by.word().equals(given))
        .findFirst()
        .orElseGet(() -> {
          if (!given.isEmpty()) {
            keys.refuse("by", "expected one of model, moderation, found '" + given + "'");
          }
          return By.MODEL;
        });
  }
}
