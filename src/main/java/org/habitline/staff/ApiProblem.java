package org.habitline.staff;

import io.micronaut.http.HttpStatus;

/**
 * A request that cannot be answered as asked: an HTTP status and a sentence that says what to do.
 */
public final class ApiProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final HttpStatus status;

  public ApiProblem(HttpStatus status, String sentence) {
    super(sentence, null, false, false);
    this.status = status;
  }

  public HttpStatus status() {
    return status;
  }

  public String sentence() {
    return String.valueOf(getMessage());
  }
}
