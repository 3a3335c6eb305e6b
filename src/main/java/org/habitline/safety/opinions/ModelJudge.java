package org.habitline.safety.opinions;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.habitline.Hashes;
import org.habitline.llm.ChoiceQuestion;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.Receipt;
import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.jspecify.annotations.Nullable;

/** Asks a chat model. */
final class ModelJudge implements Judge {

  private static final String TOOL = "judge";
  private static final String LEVEL = "level";
  private static final String KIND = "kind";
  private static final String LANGUAGE = "language";
  private static final String NO_KIND = "none";
  private static final int LONGEST_MODEL = 200;

  private static final JsonMapper JSON = new JsonMapper();

  private final LanguageModel model;
  private final @Nullable String named;
  private final String promptSha256;
  private final SortedSet<String> languages;
  private final ChoiceQuestion question;

  /**
   * @param named the model to ask, or {@code null} for the usual one
   */
  ModelJudge(LanguageModel model, @Nullable String named, String prompt, CrisisRules rules) {
    this.model = model;
    this.named = named;
    this.promptSha256 = Hashes.sha256(prompt);
    this.languages = new TreeSet<>(rules.languages());
    this.question =
        new ChoiceQuestion(
            prompt,
            TOOL,
            "Says how the participant's messages should be treated.",
            List.of(
                new ChoiceQuestion.Field(LEVEL, "How urgent it is.", levels()),
                new ChoiceQuestion.Field(
                    KIND, "What it is about; none if the level is none.", kinds()),
                new ChoiceQuestion.Field(
                    LANGUAGE, "The language, or the nearest of these.", languages)));
  }

  private static List<String> levels() {
    return Arrays.stream(Level.values()).map(Level::word).toList();
  }

  private static List<String> kinds() {
    var kinds = new TreeSet<>(List.of(NO_KIND));
    RiskKind.ofRules().forEach(kind -> kinds.add(kind.word()));
    return List.copyOf(kinds);
  }

  @Override
  public Opinion tooSlow() {
    return Opinion.none(
        OpinionStatus.TOO_SLOW,
        new Opinion.Source(
            SecondOpinionPlan.By.MODEL, asked(named == null ? "" : named), promptSha256, 0, 0, 0));
  }

  @Override
  public Opinion judge(Words words, Deadline deadline) {
    var answer = ChoiceQuestion.ask(model, question.about(named, null, json(words)), deadline);
    var source = source(answer.receipt());
    return switch (answer) {
      case ChoiceQuestion.Answer.Given given -> read(given, source);
      case ChoiceQuestion.Answer.Unreadable unreadable ->
          Opinion.none(OpinionStatus.UNREADABLE, source);
      case ChoiceQuestion.Answer.Missing missing ->
          Opinion.none(
              missing.failure() == ModelFailure.TOO_LATE
                  ? OpinionStatus.TOO_SLOW
                  : OpinionStatus.FAILED,
              source);
    };
  }

  /** What the participant wrote is data in JSON, so that it does not look like an instruction. */
  private static String json(Words words) {
    var said = JSON.createObjectNode();
    if (words.coach() != null) {
      said.put("coach", words.coach());
    }
    words.participant().forEach(said.putArray("participant")::add);
    return said.toString();
  }

  private Opinion read(ChoiceQuestion.Answer.Given answer, Opinion.Source source) {
    var level =
        Arrays.stream(Level.values())
            .filter(one -> one.word().equals(answer.word(LEVEL)))
            .findFirst();
    if (level.isEmpty()) {
      return Opinion.none(OpinionStatus.UNREADABLE, source);
    }
    var language = answer.word(LANGUAGE);
    return Opinion.given(
        level.get(),
        kind(answer.word(KIND)),
        languages.contains(language) ? language : null,
        source);
  }

  /** A danger is not ignored because its kind cannot be read. */
  private static RiskKind kind(String word) {
    return RiskKind.ofRules().stream()
        .filter(kind -> kind.word().equals(word))
        .findFirst()
        .orElse(RiskKind.DANGER);
  }

  private Opinion.Source source(Receipt receipt) {
    var returned = receipt.modelReturned();
    return new Opinion.Source(
        SecondOpinionPlan.By.MODEL,
        asked(returned == null || returned.isEmpty() ? receipt.modelAsked() : returned),
        promptSha256,
        receipt.promptTokens(),
        receipt.completionTokens(),
        receipt.latencyMillis());
  }

  private static String asked(String name) {
    return name.substring(0, Math.min(LONGEST_MODEL, name.length()));
  }
}
