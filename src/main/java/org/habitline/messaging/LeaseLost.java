package org.habitline.messaging;

/** Thrown when the lease expired, was taken over or revoked; rolls back the transaction. */
public final class LeaseLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LeaseLost(Lease lease) {
    super(
        "The lease on " + lease.participantId() + " was lost; nothing of this turn is committed.");
  }
}
