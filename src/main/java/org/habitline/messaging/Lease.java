package org.habitline.messaging;

/**
 * The right to answer one participant, until it expires or is given back. The token rises with
 * every lease of the same participant (a fencing token): a holder who was overtaken cannot commit.
 *
 * @param handedOver whether the holder before stopped in order, in the middle of its work
 */
public record Lease(String participantId, long token, boolean handedOver) {}
