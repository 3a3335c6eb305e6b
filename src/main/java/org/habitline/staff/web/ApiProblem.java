package org.habitline.staff.web;

import io.micronaut.http.HttpStatus;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A request that cannot be answered as asked: an HTTP status and a sentence that says what to do.
 */
public final class ApiProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final Pattern FIELD = Pattern.compile("^[a-z][a-z_]*(?=:)");

  private final HttpStatus status;
  private final Duration retryAfter;

  public ApiProblem(HttpStatus status, String sentence) {
    this(status, sentence, Duration.ZERO);
  }

  /**
   * @param retryAfter when the same request may be sent again; zero if that would not help
   */
  public ApiProblem(HttpStatus status, String sentence, Duration retryAfter) {
    super(sentence, null, false, false);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Returns a problem of a request that is not accepted: 400. */
  public static ApiProblem bad(String sentence) {
    return new ApiProblem(HttpStatus.BAD_REQUEST, sentence);
  }

  /** Returns a problem of a request for what does not exist: 404. */
  public static ApiProblem notFound(String sentence) {
    return new ApiProblem(HttpStatus.NOT_FOUND, sentence);
  }

  /** Returns the 404 for an id that is no participant's. */
  public static ApiProblem noParticipant() {
    return notFound("There is no participant with this id.");
  }

  /** Returns a problem of a request that does not fit what is stored now: 409. */
  public static ApiProblem conflict(String sentence) {
    return new ApiProblem(HttpStatus.CONFLICT, sentence);
  }

  /** Whole seconds after which the request may be sent again, or empty if that would not help. */
  public OptionalLong retryAfterSeconds() {
    return retryAfter.isZero()
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds()));
  }

  public HttpStatus status() {
    return status;
  }

  public String sentence() {
    return String.valueOf(getMessage());
  }

  /**
   * The field that the sentence is about, as REST calls it, or empty if it is about no one field.
   */
  public Optional<String> field() {
    return FIELD.matcher(sentence()).results().map(MatchResult::group).findFirst();
  }

  /** The sentence as it stands beside its field, without the field's name. */
  public String besideField() {
    var rest = FIELD.matcher(sentence()).replaceFirst("").replaceFirst("^: *", "");
    return rest.substring(0, 1).toUpperCase(Locale.ROOT) + rest.substring(1);
  }

  /** The sentence as a page says it: a field at its head goes by its label there. */
  public String onPage() {
    return FIELD.matcher(sentence()).replaceFirst(field -> label(field.group()));
  }

  private static String label(String field) {
    var words = field.equals("timezone") ? "time zone" : field.replace('_', ' ');
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }
}
