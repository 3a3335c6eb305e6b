package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.openai.client.OpenAIClient;
import com.openai.core.http.HttpResponse;
import com.openai.models.embeddings.EmbeddingCreateParams;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.habitline.llm.Deadline;
import org.habitline.llm.Embeddings;
import org.habitline.llm.ModelFailure;

/**
 * Sends embeddings requests with openai-java, whose own retries are off. Vectors are requested as
 * numbers, because not every server knows the client's default, Base64.
 */
final class OpenAiEmbeddings implements Embeddings {

  /** The most bytes read of one reply: twice what {@link #MOST_TEXTS} of the largest take. */
  private static final int LONGEST_ANSWER_BYTES = 32 << 20;

  /** The largest vector; today's models have at most 4,096 numbers. */
  private static final int LARGEST_VECTOR = 8192;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private static final JsonMapper JSON = new JsonMapper();

  private final OpenAIClient client;
  private final String model;
  private final RequestErrors errors;

  OpenAiEmbeddings(OpenAIClient client, String model, Clock clock) {
    this.client = client;
    this.model = model;
    this.errors = new RequestErrors(clock);
  }

  @Override
  public Outcome embed(List<String> texts, Deadline deadline) {
    if (texts.isEmpty() || texts.size() > MOST_TEXTS || texts.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          texts.size() + " texts; expected 1 to " + MOST_TEXTS + " texts that are not blank");
    }
    if (deadline.passed()) {
      return new Outcome.Failed(
          ModelFailure.TOO_LATE,
          "the time limit was reached before the embeddings model was asked");
    }
    try {
      return read(reply(texts, deadline.left()), texts.size());
    } catch (JsonProcessingException e) {
      return unreadable("something that is not JSON");
    } catch (Exception e) {
      // Catches Exception because the client throws an undeclared InterruptedException.
      if (RequestErrors.interrupted(e)) {
        Thread.currentThread().interrupt();
        return new Outcome.Interrupted();
      }
      var unanswered = errors.unanswered(e);
      return new Outcome.Failed(unanswered.failure(), unanswered.reason());
    }
  }

  private JsonNode reply(List<String> texts, Duration left) throws IOException {
    var params =
        EmbeddingCreateParams.builder()
            .model(model)
            .inputOfArrayOfStrings(texts.stream().map(OpenAiEmbeddings::wellFormed).toList())
            .encodingFormat(EmbeddingCreateParams.EncodingFormat.FLOAT)
            .build();
    var limit = left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT;
    try (var response = client.embeddings().withRawResponse().create(params, TimeLimit.of(limit))) {
      return body(response);
    }
  }

  private static JsonNode body(HttpResponse response) throws IOException {
    try (var body = response.body()) {
      var bytes = body.readNBytes(LONGEST_ANSWER_BYTES + 1);
      return bytes.length > LONGEST_ANSWER_BYTES ? JSON.missingNode() : JSON.readTree(bytes);
    }
  }

  /** Reads the vectors in the order of their {@code index}; servers may send them in any order. */
  private static Outcome read(JsonNode reply, int texts) {
    var data = reply.path("data");
    if (!data.isArray() || data.size() != texts) {
      return unreadable(data.size() + " vectors for " + texts + " texts");
    }
    var vectors = new TreeMap<Integer, float[]>();
    for (int i = 0; i < texts; i++) {
      var at = data.get(i).path("index").asInt(i);
      vector(data.get(i).path("embedding")).ifPresent(vector -> vectors.put(at, vector));
    }
    if (vectors.size() != texts || vectors.firstKey() != 0 || vectors.lastKey() != texts - 1) {
      return unreadable("vectors that are empty, too large or numbered wrongly");
    }
    if (vectors.values().stream().mapToInt(vector -> vector.length).distinct().count() != 1) {
      return unreadable("vectors of several sizes");
    }
    return new Outcome.Embedded(List.copyOf(vectors.values()));
  }

  /** Returns the vector with the length 1, or empty if it cannot have one. */
  private static Optional<float[]> vector(JsonNode embedding) {
    if (!embedding.isArray() || embedding.isEmpty() || embedding.size() > LARGEST_VECTOR) {
      return Optional.empty();
    }
    var squares = 0.0;
    for (var number : embedding) {
      squares += number.asDouble(Double.NaN) * number.asDouble(Double.NaN);
    }
    var length = Math.sqrt(squares);
    if (!Double.isFinite(length) || length == 0) {
      return Optional.empty();
    }
    var vector = new float[embedding.size()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) (embedding.get(i).asDouble() / length);
    }
    return Optional.of(vector);
  }

  private static Outcome unreadable(String sent) {
    return new Outcome.Failed(ModelFailure.OTHER, "the embeddings server sent " + sent);
  }

  /** Replaces lone surrogates, which cannot be written as UTF-8 and would make the request fail. */
  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
