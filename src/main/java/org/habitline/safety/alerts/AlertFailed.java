package org.habitline.safety.alerts;

/** Thrown when an alert could not be sent; it is tried again. */
final class AlertFailed extends Exception {
  private static final long serialVersionUID = 1L;

  private final AlertFault fault;

  AlertFailed(AlertFault fault) {
    super(fault.word());
    this.fault = fault;
  }

  AlertFault fault() {
    return fault;
  }
}
