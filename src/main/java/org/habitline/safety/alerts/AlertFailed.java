package org.habitline.safety.alerts;

import org.jspecify.annotations.Nullable;

/** Thrown when an alert could not be sent; it is tried again. */
final class AlertFailed extends Exception {
  private static final long serialVersionUID = 1L;

  private final AlertFault fault;
  private final @Nullable Integer httpStatus;

  AlertFailed(AlertFault fault) {
    super(fault.word());
    this.fault = fault;
    this.httpStatus = null;
  }

  /** A server refused the alert with this HTTP status. */
  AlertFailed(int httpStatus) {
    super(AlertFault.REFUSED.word() + " " + httpStatus);
    this.fault = AlertFault.REFUSED;
    this.httpStatus = httpStatus;
  }

  AlertFault fault() {
    return fault;
  }

  /** Returns the status of the server's answer, if it was one of HTTP. */
  @Nullable Integer httpStatus() {
    return httpStatus;
  }
}
