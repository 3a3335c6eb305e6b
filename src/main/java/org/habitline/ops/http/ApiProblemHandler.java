package org.habitline.ops.http;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import jakarta.inject.Singleton;
import org.habitline.staff.web.ApiProblem;

/** Turns an {@link ApiProblem} thrown by a controller into the response. */
@Singleton
@SuppressWarnings("rawtypes") // the handler's own type parameters are raw in Micronaut
final class ApiProblemHandler implements ExceptionHandler<ApiProblem, HttpResponse<?>> {

  private final ErrorResponseProcessor<?> sentences;

  ApiProblemHandler(ErrorResponseProcessor<?> sentences) {
    this.sentences = sentences;
  }

  @Override
  public HttpResponse<?> handle(HttpRequest request, ApiProblem problem) {
    var response = HttpResponse.status(problem.status());
    problem
        .retryAfterSeconds()
        .ifPresent(seconds -> response.header(HttpHeaders.RETRY_AFTER, String.valueOf(seconds)));
    return sentences.processResponse(
        ErrorContext.builder(request).cause(problem).errorMessage(problem.sentence()).build(),
        response);
  }
}
