package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.openai.client.OpenAIClient;
import com.openai.core.ObjectMappers;
import com.openai.core.http.HttpResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.OpenAIException;
import com.openai.errors.OpenAIServiceException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.habitline.llm.ChatServer;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.TextListener;
import org.habitline.llm.openai.Beginnings.Beginning;

/**
 * Sends Chat Completions requests with openai-java, whose own retries are off. Replies are read
 * leniently: missing fields are no reason to fail. A server's error text is never repeated, because
 * it may quote a participant.
 */
final class OpenAiServer implements ChatServer {

  private static final int SERVER_ERROR = 500;

  /** The most bytes read of one reply, far more than any real one. */
  private static final int LONGEST_ANSWER_BYTES = 4 << 20;

  /**
   * Statuses of a refused request. llama.cpp sends 500 when its template does not accept the
   * messages.
   */
  private static final Set<Integer> REFUSALS = Set.of(400, 422, SERVER_ERROR);

  private static final JsonMapper JSON = new JsonMapper();

  /** The client's own mapper, which writes the client's types in the vendor's form. */
  private static final JsonMapper CHUNKS = ObjectMappers.jsonMapper();

  private final OpenAIClient client;
  private final String address;
  private final Quirks quirks;
  private final Beginnings beginnings = new Beginnings();
  private final RequestErrors errors;

  OpenAiServer(OpenAIClient client, String address, Quirks quirks, Clock clock) {
    this.client = client;
    this.address = address;
    this.quirks = quirks;
    this.errors = new RequestErrors(clock);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public Optional<String> adapted() {
    return quirks.told();
  }

  /** Leaves each known quirk out in turn and returns those without which the request differs. */
  @Override
  public Set<ModelQuirk> adapts(ModelRequest request, String model, boolean streamed) {
    var known = quirks.of(model);
    var sent = Question.of(request, model, known, streamed);
    return known.quirks().stream()
        .filter(quirk ->
            quirk == ModelQuirk.NO_STREAMING
                ? streamed
                : !Question.of(request, model, known.without(quirk), streamed).equals(sent))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(ModelQuirk.class)));
  }

  @Override
  public Attempt ask(ModelRequest request, String model, Duration timeout) {
    return attempt(() -> whole(Deadline.in(timeout), request, model));
  }

  @Override
  public Attempt ask(ModelRequest request, String model, Duration timeout, TextListener listener) {
    var until = Deadline.in(timeout);
    return attempt(() -> {
      try {
        return adapting(
            until,
            request,
            model,
            true,
            (left, known) ->
                known.has(ModelQuirk.NO_STREAMING)
                    ? saidAtOnce(atOnce(request, model, left, known), listener)
                    : streamed(request, model, left, known, listener));
      } catch (BadRequestException e) {
        // Some servers and accounts cannot stream every model, and their error does not say so.
        var attempt = whole(until, request, model);
        if (attempt instanceof Attempt.Answered) {
          quirks.answeredUnstreamed(model);
        }
        return saidAtOnce(attempt, listener);
      }
    });
  }

  private Attempt whole(Deadline until, ModelRequest request, String model) throws IOException {
    return adapting(
        until, request, model, false, (left, known) -> atOnce(request, model, left, known));
  }

  /** A way to send the request, streamed or not, within the time left. */
  private interface Way {
    Attempt ask(Duration left, Quirks.Known known) throws IOException;
  }

  /**
   * Repeats a refused request at once without the part that the refusal names. Each repetition
   * tries one more quirk, so this ends. Tried quirks are remembered only if they lead to a reply.
   */
  private Attempt adapting(
      Deadline until, ModelRequest request, String model, boolean streamed, Way way)
      throws IOException {
    var tried = EnumSet.noneOf(ModelQuirk.class);
    while (true) {
      var known = quirks.of(model, tried);
      try {
        var attempt = way.ask(until.left(), known);
        if (attempt instanceof Attempt.Answered) {
          quirks.learn(model, tried);
        }
        return attempt;
      } catch (OpenAIServiceException e) {
        var shown =
            REFUSALS.contains(e.statusCode()) && !until.passed()
                ? quirks.shownBy(e.statusCode() == SERVER_ERROR, body(e), request, known, streamed)
                : Optional.<ModelQuirk>empty();
        tried.add(shown.orElseThrow(() -> e));
      }
    }
  }

  private static JsonNode body(OpenAIServiceException e) {
    try {
      return CHUNKS.valueToTree(e.body());
    } catch (IllegalArgumentException | OpenAIException unread) {
      return CHUNKS.missingNode();
    }
  }

  private static Attempt saidAtOnce(Attempt attempt, TextListener listener) {
    new CompletionChunks(listener, Beginning.UNKNOWN).told(attempt);
    return attempt;
  }

  private Attempt atOnce(ModelRequest request, String model, Duration timeout, Quirks.Known known)
      throws IOException {
    var began = System.nanoTime();
    try (var response =
        client
            .chat()
            .completions()
            .withRawResponse()
            .create(Question.of(request, model, known), TimeLimit.of(timeout))) {
      return answered(completion(response), request, model, response, began);
    }
  }

  /**
   * Asks for a stream. A reply that is not a stream is read as a whole, because some servers ignore
   * the request to stream.
   */
  private Attempt streamed(
      ModelRequest request,
      String model,
      Duration timeout,
      Quirks.Known known,
      TextListener listener)
      throws IOException {
    var began = System.nanoTime();
    try (var response =
        client
            .chat()
            .completions()
            .withRawResponse()
            .createStreaming(Question.streamed(request, model, known), TimeLimit.of(timeout))) {
      if (!isStream(response)) {
        return saidAtOnce(
            answered(completion(response), request, model, response, began), listener);
      }
      var pieces = new CompletionChunks(listener, beginnings.of(model));
      try (var chunks = response.parse()) {
        var all = chunks.stream().iterator();
        while (all.hasNext() && pieces.length() <= LONGEST_ANSWER_BYTES) {
          pieces.add(CHUNKS.valueToTree(all.next()));
        }
      }
      if (pieces.broken()) {
        return RequestErrors.broken();
      }
      var completion =
          pieces.length() > LONGEST_ANSWER_BYTES ? JSON.missingNode() : pieces.completion();
      var attempt = answered(completion, request, model, response, began);
      if (attempt instanceof Attempt.Answered) {
        quirks.answeredStreamed(model);
      }
      pieces.told(attempt);
      return attempt;
    }
  }

  private static boolean isStream(HttpResponse response) {
    return response.headers().values("Content-Type").stream()
        .anyMatch(type -> type.toLowerCase(Locale.ROOT).startsWith("text/event-stream"));
  }

  private Attempt answered(
      JsonNode completion, ModelRequest request, String model, HttpResponse response, long began) {
    var millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
    return Answer.read(
            completion, request, model, beginnings, response.requestId().orElse(null), millis)
        .<Attempt>map(answered -> answered)
        .orElseGet(RequestErrors::unreadable);
  }

  private Attempt attempt(Callable<Attempt> asking) {
    try {
      return asking.call();
    } catch (Exception e) {
      // Catches Exception because the client throws an undeclared InterruptedException.
      return RequestErrors.interrupted(e) ? new Attempt.Interrupted() : errors.unanswered(e);
    }
  }

  private static JsonNode completion(HttpResponse response) throws IOException {
    try (var body = response.body()) {
      var bytes = body.readNBytes(LONGEST_ANSWER_BYTES + 1);
      return bytes.length > LONGEST_ANSWER_BYTES ? JSON.missingNode() : JSON.readTree(bytes);
    }
  }
}
