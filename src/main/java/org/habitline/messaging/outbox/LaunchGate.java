package org.habitline.messaging.outbox;

/**
 * Says whether real channels may be used yet. While they may not, messages wait, but for fixed
 * texts about a crisis, alerts, and the replies to HELP and STOP; the simulator is always used.
 * Implemented by the package that alerts staff. Safe for any number of threads.
 */
public interface LaunchGate {

  /** Why messages wait. */
  String REASON = "real channels are off until a test alert is acknowledged";

  /** Returns whether messages must wait now; joins the running transaction. */
  boolean isClosed();
}
