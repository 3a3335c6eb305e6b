package org.habitline.safety.opinions;

import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.jspecify.annotations.Nullable;

/**
 * A second opinion about the texts of one turn, or why there is none. It holds no words.
 *
 * @param level {@link Level#NONE} if there is no opinion
 * @param kind {@code null} if the level is {@link Level#NONE}
 * @param language the language of the texts, such as {@code en}, if the model said it
 * @param source who was asked
 */
public record Opinion(
    OpinionStatus status,
    Level level,
    @Nullable RiskKind kind,
    @Nullable String language,
    Source source) {

  /**
   * Who was asked, and what that cost.
   *
   * @param model the model that answered, or that was asked if none did
   * @param promptSha256 the SHA-256 of the prompt file, or {@code null} if none was used
   * @param promptTokens tokens read, or 0 if not reported
   * @param completionTokens tokens written, or 0 if not reported
   */
  public record Source(
      SecondOpinionPlan.By by,
      String model,
      @Nullable String promptSha256,
      long promptTokens,
      long completionTokens,
      long latencyMillis) {}

  static Opinion given(
      Level level, @Nullable RiskKind kind, @Nullable String language, Source source) {
    return new Opinion(
        OpinionStatus.GIVEN, level, level == Level.NONE ? null : kind, language, source);
  }

  static Opinion none(OpinionStatus why, Source source) {
    return new Opinion(why, Level.NONE, null, null, source);
  }
}
