package org.habitline.ops.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder.ErrorDataDecoderException;
import jakarta.inject.Singleton;

/** Responds with 400, not 500, to a form with broken percent encoding. */
@Singleton
@SuppressWarnings("rawtypes") // the handler's own type parameters are raw in Micronaut
final class UnreadableFormHandler
    implements ExceptionHandler<ErrorDataDecoderException, HttpResponse<?>> {

  private final ErrorResponseProcessor<?> sentences;

  UnreadableFormHandler(ErrorResponseProcessor<?> sentences) {
    this.sentences = sentences;
  }

  @Override
  public HttpResponse<?> handle(HttpRequest request, ErrorDataDecoderException unreadable) {
    return sentences.processResponse(
        ErrorContext.builder(request)
            .cause(unreadable)
            .errorMessage("The body is not readable as a form; write % as %25 in it.")
            .build(),
        HttpResponse.status(HttpStatus.BAD_REQUEST));
  }
}
