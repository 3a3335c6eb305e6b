package org.habitline.ops;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.micronaut.context.annotation.Primary;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.exceptions.ContentLengthExceededException;
import io.micronaut.http.server.exceptions.response.Error;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.participants.Ids;
import org.habitline.staff.ApiProblem;
import org.habitline.staff.Reply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns every failed request into the envelope with one sentence: what was wrong and what is
 * accepted. What a request contained is not repeated, and what went wrong inside is logged under a
 * number.
 */
@Primary
@Singleton
final class Sentences implements ErrorResponseProcessor<Reply<Void>> {

  private static final Logger log = LoggerFactory.getLogger(Sentences.class);
  private static final int SERVER_ERROR = 500;

  @Override
  public MutableHttpResponse<Reply<Void>> processResponse(
      ErrorContext context, MutableHttpResponse<?> response) {
    return response
        .body(Reply.error(sentence(context, response)))
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  private static String sentence(ErrorContext context, MutableHttpResponse<?> response) {
    var cause = context.getRootCause();
    return cause
        .flatMap(Sentences::known)
        .orElseGet(() -> byStatus(context, response.status(), cause));
  }

  private static Optional<String> known(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      var sentence =
          switch (cause) {
            case ApiProblem problem -> problem.sentence();
            case UnrecognizedPropertyException unknown -> unknownField(unknown);
            case JsonParseException unreadable ->
                "The body is not readable as JSON; send one JSON object.";
            case JsonMappingException wrong -> wrongType(wrong);
            case JsonProcessingException other ->
                "The body is not readable as JSON; send one JSON object.";
            case ContentLengthExceededException tooLong ->
                "The body is too large; HABITLINE_MAX_BODY says how large one may be.";
            default -> null;
          };
      if (sentence != null) {
        return Optional.of(sentence);
      }
    }
    return Optional.empty();
  }

  private static String unknownField(UnrecognizedPropertyException unknown) {
    var accepted =
        unknown.getKnownPropertyIds().stream()
            .map(Objects::toString)
            .collect(Collectors.toCollection(TreeSet::new));
    return "Unknown field '"
        + unknown.getPropertyName()
        + "'; accepted are "
        + String.join(", ", accepted)
        + ".";
  }

  private static String wrongType(JsonMappingException wrong) {
    var field =
        wrong.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("."));
    return field.isEmpty()
        ? "The body has the wrong shape; send one JSON object."
        : "The field '" + field + "' has a value of the wrong type.";
  }

  private static String byStatus(
      ErrorContext context, HttpStatus status, Optional<Throwable> cause) {
    return switch (status) {
      case UNAUTHORIZED -> "Send an API key as 'Authorization: Bearer …', or sign in on the page.";
      case FORBIDDEN -> "This key or session does not have the role that this needs.";
      case NOT_FOUND -> "There is nothing at this address; /api-docs lists what there is.";
      case METHOD_NOT_ALLOWED ->
          "This address does not accept " + context.getRequest().getMethodName() + ".";
      case UNSUPPORTED_MEDIA_TYPE ->
          "Send the body as JSON, with 'Content-Type: application/json'.";
      case REQUEST_ENTITY_TOO_LARGE ->
          "The body is too large; HABITLINE_MAX_BODY says how large one may be.";
      default -> status.getCode() < SERVER_ERROR ? request(context) : inside(context, cause);
    };
  }

  private static String request(ErrorContext context) {
    return context.getErrors().stream()
        .map(Error::getMessage)
        .filter(message -> !message.isBlank())
        .findFirst()
        .map(message -> message.endsWith(".") ? message : message + ".")
        .orElse("The request cannot be read; /api-docs says what is accepted.");
  }

  private static String inside(ErrorContext context, Optional<Throwable> cause) {
    var number = Ids.next("err");
    log.error(
        "{}: {} {} failed: {}",
        number,
        context.getRequest().getMethodName(),
        context.getRequest().getPath().replaceAll("[^A-Za-z0-9/_-]", "?"),
        cause.map(failure -> failure.getClass().getName()).orElse("unknown"),
        cause.map(Sentences::whereOnly).orElse(null));
    return "Something went wrong inside; the log tells more under " + number + ".";
  }

  /** The places a failure went through, without its message, which may quote a participant. */
  private static Throwable whereOnly(Throwable failure) {
    var bare = new IllegalStateException(failure.getClass().getName());
    bare.setStackTrace(failure.getStackTrace());
    return bare;
  }
}
