package org.habitline.messaging;

/**
 * The exclusive right to run turns for one participant, until it expires or is released. The token
 * rises with every lease of the participant (a fencing token), so a holder who was overtaken cannot
 * commit.
 *
 * @param handedOver whether the previous holder stopped in an orderly way in the middle of its work
 */
public record Lease(String participantId, long token, boolean handedOver) {}
