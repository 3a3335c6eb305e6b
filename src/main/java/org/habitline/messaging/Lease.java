package org.habitline.messaging;

/**
 * The right to answer one participant, until it expires or is given back. The token rises with
 * every lease of the same participant (a fencing token): a holder who was overtaken cannot commit.
 */
public record Lease(String participantId, long token) {}
