package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.openai.errors.OpenAIException;
import com.openai.errors.OpenAIInvalidDataException;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.OpenAIServiceException;
import com.openai.errors.SseException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Clock;
import java.util.Optional;
import org.habitline.llm.ChatServer.Attempt.Unanswered;
import org.habitline.llm.ChatServer.MayHelp;
import org.habitline.llm.ModelFailure;

/**
 * Tells what the exceptions of openai-java mean. A server's error text is never repeated, because
 * it may quote a participant.
 */
final class RequestErrors {

  private static final int UNAUTHORIZED = 401;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int CONFLICT = 409;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private static final String NO_CREDIT = "insufficient_quota";
  private static final String NO_MODEL = "model_not_found";

  private final Clock clock;

  RequestErrors(Clock clock) {
    this.clock = clock;
  }

  /** Returns the outcome of a request that ended with this exception; never null. */
  Unanswered unanswered(Exception failure) {
    return switch (failure) {
      case SseException brokenOff -> brokenOff(brokenOff);
      case OpenAIServiceException refused -> refused(refused);
      case OpenAIInvalidDataException unread -> unreadable();
      case JsonProcessingException unread -> unreadable();
      case InterruptedIOException late -> late();
      case IOException broken -> broken();
      case OpenAIIoException broken ->
          broken.getCause() instanceof InterruptedIOException ? late() : broken();
      default ->
          new Unanswered(
              ModelFailure.OTHER,
              "the request to the model failed with " + failure.getClass().getSimpleName(),
              MayHelp.ANOTHER_MODEL,
              Optional.empty());
    };
  }

  /** Returns the outcome of a reply that is not a chat completion. */
  static Unanswered unreadable() {
    return new Unanswered(
        ModelFailure.OTHER,
        "the model's server sent something that is not a chat completion",
        MayHelp.ANOTHER_MODEL,
        Optional.empty());
  }

  private static Unanswered late() {
    return new Unanswered(
        ModelFailure.TOO_LATE,
        "the model's server did not answer in time",
        MayHelp.ASKING_AGAIN,
        Optional.empty());
  }

  /** Returns the outcome of a connection that failed or ended too early. */
  static Unanswered broken() {
    return new Unanswered(
        ModelFailure.TOO_LATE,
        "the connection to the model's server failed",
        MayHelp.ASKING_AGAIN,
        Optional.empty());
  }

  /** Returns whether the request ended because the waiting thread was interrupted. */
  static boolean interrupted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedException) {
        return true;
      }
    }
    return Thread.currentThread().isInterrupted();
  }

  private Unanswered refused(OpenAIServiceException e) {
    var code = code(e);
    return new Unanswered(
        failure(code).orElseGet(() -> ModelFailure.ofStatus(e.statusCode())),
        "the model's server answered with HTTP status "
            + e.statusCode()
            + code.map(word -> " (" + word + ")").orElse(""),
        mayHelp(e.statusCode(), code.orElse("")),
        RetryAfter.of(e.headers(), clock));
  }

  private static Optional<ModelFailure> failure(Optional<String> code) {
    return code.flatMap(word ->
        switch (word) {
          case NO_CREDIT -> Optional.of(ModelFailure.NO_CREDIT);
          case NO_MODEL -> Optional.of(ModelFailure.UNKNOWN_MODEL);
          default -> Optional.<ModelFailure>empty();
        });
  }

  /** Returns the outcome of a stream in which an error arrived instead of the next piece. */
  private static Unanswered brokenOff(SseException e) {
    var code = code(e);
    return new Unanswered(
        failure(code).orElse(ModelFailure.OTHER),
        "the model's server ended its answer too early"
            + code.map(word -> " (" + word + ")").orElse(""),
        code.filter(NO_CREDIT::equals).isPresent() ? MayHelp.NOTHING : MayHelp.ASKING_AGAIN,
        Optional.empty());
  }

  private static MayHelp mayHelp(int status, String code) {
    return switch (status) {
      case UNAUTHORIZED -> MayHelp.NOTHING;
      // OpenAI also sends 429 for an account without credit, which waiting does not help.
      case TOO_MANY_REQUESTS -> code.equals(NO_CREDIT) ? MayHelp.NOTHING : MayHelp.ASKING_AGAIN;
      case REQUEST_TIMEOUT, CONFLICT -> MayHelp.ASKING_AGAIN;
      default -> status >= SERVER_ERROR ? MayHelp.ASKING_AGAIN : MayHelp.ANOTHER_MODEL;
    };
  }

  /** Returns the vendor's error code, or empty if it could be a text that quotes a participant. */
  private static Optional<String> code(OpenAIServiceException e) {
    try {
      return e.code().filter(code -> code.matches("[a-z_]{1,50}"));
    } catch (OpenAIException unread) {
      return Optional.empty();
    }
  }
}
