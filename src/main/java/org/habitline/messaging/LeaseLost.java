package org.habitline.messaging;

/**
 * The lease ran out, was taken over or was revoked; the transaction that finds this out is undone.
 */
public final class LeaseLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LeaseLost(Lease lease) {
    super(
        "The lease on " + lease.participantId() + " was lost; nothing of this turn is committed.");
  }
}
