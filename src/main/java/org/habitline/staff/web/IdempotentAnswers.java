package org.habitline.staff.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Answers requests that create something, once for each {@code Idempotency-Key}. */
@Singleton
public final class IdempotentAnswers {

  private static final int LONGEST_KEY = 255;

  private final Idempotency idempotency;
  private final ObjectMapper json;

  IdempotentAnswers(Idempotency idempotency, ObjectMapper json) {
    this.idempotency = idempotency;
    this.json = json;
  }

  /** The id of what was created, usually a participant's, and the reply about it. */
  public record Made(String participantId, Reply<?> reply) {}

  /**
   * Carries out the act and replies with 201, or repeats the reply given before under the same key.
   *
   * @param request what distinguishes this request from others; must be writable as JSON
   * @param place returns the address of what was created, by its id
   * @throws ApiProblem 400 for an invalid key, 422 and 410 as {@link Idempotency#once} says
   */
  public MutableHttpResponse<?> created(
      Authentication by,
      @Nullable String key,
      Object request,
      UnaryOperator<String> place,
      Supplier<Made> act) {
    return once(
        new Asked(by, key, request),
        HttpStatus.CREATED,
        new Place(HttpHeaders.LOCATION, place),
        act);
  }

  /**
   * A request that may come with a key.
   *
   * @param request what distinguishes this request from others; must be writable as JSON
   */
  public record Asked(Authentication by, @Nullable String key, Object request) {}

  /** A header that says what a reply is about, by the id of what was created. */
  public record Place(String header, UnaryOperator<String> value) {}

  /**
   * Carries out the act and replies with the given status and header, or repeats the reply given
   * before under the same key.
   */
  public MutableHttpResponse<?> once(
      Asked asked, HttpStatus status, Place place, Supplier<Made> act) {
    if (asked.key() == null) {
      var made = act.get();
      return HttpResponse.status(status)
          .body(made.reply())
          .header(place.header(), place.value().apply(made.participantId()));
    }
    return response(
        idempotency.once(
            key(asked, asked.key()),
            () -> {
              var made = act.get();
              return new Idempotency.Answer(
                  made.participantId(), status.getCode(), write(made.reply()), false);
            }),
        place);
  }

  /**
   * Returns the reply given under the key before, if any. Use it for acts that need an expensive
   * step first.
   *
   * @throws ApiProblem as {@link #created}
   */
  public Optional<MutableHttpResponse<?>> before(Asked asked, Place place) {
    return asked.key() == null
        ? Optional.empty()
        : idempotency.answered(key(asked, asked.key())).map(answer -> response(answer, place));
  }

  private Idempotency.Key key(Asked asked, String key) {
    return new Idempotency.Key(asked.by().getName(), checked(key), write(asked.request()));
  }

  private static MutableHttpResponse<?> response(Idempotency.Answer answer, Place place) {
    MutableHttpResponse<String> response =
        HttpResponse.<String>status(HttpStatus.valueOf(answer.status()))
            .body(answer.body())
            .contentType(MediaType.APPLICATION_JSON_TYPE)
            .header(place.header(), place.value().apply(answer.participantId()));
    return answer.replayed() ? response.header("Idempotent-Replay", "true") : response;
  }

  private static String checked(String key) {
    if (key.isBlank() || key.length() > LONGEST_KEY) {
      throw ApiProblem.bad(
          "Idempotency-Key: expected 1 to "
              + LONGEST_KEY
              + " characters; leave the header out if you do not need it.");
    }
    return key;
  }

  private String write(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write a reply as JSON: " + e.getClass().getName());
    }
  }
}
