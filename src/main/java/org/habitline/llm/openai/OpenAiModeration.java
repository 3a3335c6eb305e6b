package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.openai.client.OpenAIClient;
import com.openai.core.http.HttpResponse;
import com.openai.models.moderations.ModerationCreateParams;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.Moderation;

/**
 * Sends moderation requests with openai-java, whose own retries are off. The categories are those
 * of OpenAI's moderation guide; others are ignored.
 */
final class OpenAiModeration implements Moderation {

  private static final int LONGEST_ANSWER_BYTES = 1 << 20;

  private static final Map<String, Category> CATEGORIES =
      Map.of(
          "self-harm/intent", Category.SELF_HARM_INTENT,
          "self-harm", Category.SELF_HARM,
          "self-harm/instructions", Category.SELF_HARM,
          "violence", Category.VIOLENCE,
          "violence/graphic", Category.VIOLENCE,
          "harassment/threatening", Category.VIOLENCE,
          "hate/threatening", Category.VIOLENCE);

  private static final JsonMapper JSON = new JsonMapper();

  private final OpenAIClient client;
  private final RequestErrors errors;

  OpenAiModeration(OpenAIClient client, Clock clock) {
    this.client = client;
    this.errors = new RequestErrors(clock);
  }

  @Override
  public Outcome judge(List<String> texts, String model, Deadline deadline) {
    if (deadline.passed()) {
      return new Outcome.Failed(
          ModelFailure.TOO_LATE, "the time limit was reached before the moderation was asked");
    }
    try {
      return read(reply(texts, model, deadline.left()), texts.size());
    } catch (JsonProcessingException e) {
      return unreadable("something that is not JSON");
    } catch (Exception e) {
      // Catches Exception because the client throws an undeclared InterruptedException.
      if (RequestErrors.interrupted(e)) {
        Thread.currentThread().interrupt();
        return new Outcome.Failed(ModelFailure.OTHER, "the wait was interrupted");
      }
      var unanswered = errors.unanswered(e);
      return new Outcome.Failed(unanswered.failure(), unanswered.reason());
    }
  }

  private JsonNode reply(List<String> texts, String model, Duration left) throws IOException {
    var params =
        ModerationCreateParams.builder()
            .model(model)
            .inputOfStrings(texts.stream().map(OpenAiModeration::wellFormed).toList())
            .build();
    try (var response = client.moderations().withRawResponse().create(params, TimeLimit.of(left))) {
      return body(response);
    }
  }

  private static JsonNode body(HttpResponse response) throws IOException {
    try (var body = response.body()) {
      var bytes = body.readNBytes(LONGEST_ANSWER_BYTES + 1);
      return bytes.length > LONGEST_ANSWER_BYTES ? JSON.missingNode() : JSON.readTree(bytes);
    }
  }

  private static Outcome read(JsonNode reply, int texts) {
    var results = reply.path("results");
    if (!results.isArray() || results.size() != texts) {
      return unreadable(results.size() + " results for " + texts + " texts");
    }
    var found = EnumSet.noneOf(Category.class);
    for (var result : results) {
      var categories = result.path("categories");
      if (!categories.path("self-harm").isBoolean()) {
        return unreadable("a result without the category self-harm");
      }
      CATEGORIES.forEach((name, category) -> {
        if (categories.path(name).asBoolean(false)) {
          found.add(category);
        }
      });
    }
    return new Outcome.Judged(found);
  }

  private static Outcome unreadable(String sent) {
    return new Outcome.Failed(ModelFailure.OTHER, "the moderation server sent " + sent);
  }

  /** Replaces lone surrogates, which cannot be written as UTF-8 and would make the request fail. */
  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
