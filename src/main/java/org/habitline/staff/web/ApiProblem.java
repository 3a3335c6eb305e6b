package org.habitline.staff.web;

import io.micronaut.http.HttpStatus;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A refused request: an HTTP status and a sentence that says what is accepted. */
public final class ApiProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final Pattern FIELD = Pattern.compile("^[a-z][a-z_]*(?:\\.[a-z0-9_]+)?(?=:)");

  private final HttpStatus status;
  private final Duration retryAfter;

  public ApiProblem(HttpStatus status, String sentence) {
    this(status, sentence, Duration.ZERO);
  }

  /**
   * Creates a problem that tells the caller when to try again.
   *
   * @param retryAfter time after which the same request may be sent again; zero if that would not
   *     help
   */
  public ApiProblem(HttpStatus status, String sentence, Duration retryAfter) {
    super(sentence, null, false, false);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Returns the 400 for a request that is not accepted. */
  public static ApiProblem bad(String sentence) {
    return new ApiProblem(HttpStatus.BAD_REQUEST, sentence);
  }

  /** Returns the 404 for a request for something that does not exist. */
  public static ApiProblem notFound(String sentence) {
    return new ApiProblem(HttpStatus.NOT_FOUND, sentence);
  }

  /** Returns the 404 for an unknown participant id. */
  public static ApiProblem noParticipant() {
    return notFound("There is no participant with this id.");
  }

  /** Returns the 409 for a request that conflicts with what is stored now. */
  public static ApiProblem conflict(String sentence) {
    return new ApiProblem(HttpStatus.CONFLICT, sentence);
  }

  /**
   * Returns the whole seconds after which the request may be sent again, or empty if that would not
   * help.
   */
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
   * Returns the name in the REST API of the field that the sentence is about, or empty if it is
   * about none.
   */
  public Optional<String> field() {
    return FIELD.matcher(sentence()).results().map(MatchResult::group).findFirst();
  }

  /** Returns the sentence to show beside its field, without the field's name. */
  public String besideField() {
    var rest = FIELD.matcher(sentence()).replaceFirst("").replaceFirst("^: *", "");
    return rest.substring(0, 1).toUpperCase(Locale.ROOT) + rest.substring(1);
  }

  /**
   * Returns the sentence to show on a page: a field name at its start becomes the field's label.
   */
  public String onPage() {
    return FIELD.matcher(sentence()).replaceFirst(field -> label(field.group()));
  }

  private static String label(String field) {
    var name = field.substring(field.indexOf('.') + 1);
    var words = name.equals("timezone") ? "time zone" : name.replace('_', ' ');
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }
}
