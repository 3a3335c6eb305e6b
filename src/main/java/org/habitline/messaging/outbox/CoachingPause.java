package org.habitline.messaging.outbox;

/**
 * Says whether coaching is paused for a participant, so that no message of the coach is sent.
 * Implemented by the package that looks after people at risk.
 */
public interface CoachingPause {

  /** Why nothing is sent while it is paused. */
  String REASON = "coaching is paused until the safety incident is released";

  /** Returns whether it is paused now; joins the running transaction. */
  boolean isInForce(String participantId);
}
