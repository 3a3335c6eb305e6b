package org.habitline.safety.opinions;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.llm.ToolSpec;
import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.jspecify.annotations.Nullable;

/**
 * Asks a chat model. It answers by a call with a fixed schema, or, if its server has no tools, by
 * the same JSON as text. Whatever else it writes is unreadable.
 */
final class ModelJudge implements Judge {

  private static final String TOOL = "judge";
  private static final String LEVEL = "level";
  private static final String KIND = "kind";
  private static final String LANGUAGE = "language";
  private static final String NO_KIND = "none";
  private static final int LONGEST_ANSWER = 2000;
  private static final int LONGEST_MODEL = 200;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final LanguageModel model;
  private final @Nullable String named;
  private final ModelMessage prompt;
  private final String promptSha256;
  private final SortedSet<String> languages;
  private final ToolSpec tool;

  /**
   * @param named the model to ask, or {@code null} for the usual one
   */
  ModelJudge(LanguageModel model, @Nullable String named, String prompt, CrisisRules rules) {
    this.model = model;
    this.named = named;
    this.prompt = new ModelMessage.SystemText(prompt);
    this.promptSha256 = sha256(prompt);
    this.languages = new TreeSet<>(rules.languages());
    this.tool =
        new ToolSpec(TOOL, "Says how the participant's messages should be treated.", schema());
  }

  private ObjectNode schema() {
    var schema = JSON.createObjectNode().put("type", "object");
    var properties = schema.putObject("properties");
    choice(properties, LEVEL, "How urgent it is.", levels());
    choice(properties, KIND, "What it is about; none if the level is none.", kinds());
    choice(properties, LANGUAGE, "The language, or the nearest of these.", languages);
    schema.putArray("required").add(LEVEL).add(KIND).add(LANGUAGE);
    return schema.put("additionalProperties", false);
  }

  private static void choice(
      ObjectNode properties, String name, String description, Collection<String> values) {
    var property = properties.putObject(name).put("description", description).put("type", "string");
    values.forEach(property.putArray("enum")::add);
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
    var reply =
        model.answer(
            new ModelRequest(
                named,
                null,
                null,
                List.of(prompt, new ModelMessage.UserText(json(words))),
                List.of(tool),
                false,
                null),
            deadline);
    var source = source(reply.receipt());
    return switch (reply) {
      case ModelReply.CallsTools calls -> read(calls.calls().getFirst().arguments(), source);
      case ModelReply.Says says -> read(says.text(), source);
      case ModelReply.CutOff cutOff -> Opinion.none(OpinionStatus.UNREADABLE, source);
      case ModelReply.Refused refused -> Opinion.none(OpinionStatus.FAILED, source);
      case ModelReply.Failed failed ->
          Opinion.none(
              failed.failure() == ModelFailure.TOO_LATE
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

  private Opinion read(String answer, Opinion.Source source) {
    var found = object(answer);
    var level =
        found.flatMap(it ->
            Arrays.stream(Level.values())
                .filter(one -> one.word().equals(it.path(LEVEL).asText()))
                .findFirst());
    if (level.isEmpty()) {
      return Opinion.none(OpinionStatus.UNREADABLE, source);
    }
    var language = found.get().path(LANGUAGE).asText();
    return Opinion.given(
        level.get(),
        kind(found.get().path(KIND).asText()),
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

  /** Returns the JSON object in an answer, which a model may have put between marks. */
  private static Optional<JsonNode> object(String answer) {
    var from = answer.indexOf('{');
    var to = answer.lastIndexOf('}');
    if (from < 0 || to < from || answer.length() > LONGEST_ANSWER) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readTree(answer.substring(from, to + 1)));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
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

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Java has no SHA-256.", e);
    }
  }
}
