package org.habitline.messaging;

import java.time.Instant;
import java.util.Set;

/**
 * An attempt to send whose outcome is unknown.
 *
 * @param at when the text was given to the channel, in system time
 * @param otherIds the provider's ids of other texts to the same participant, which are not this one
 */
public record Attempt(Instant at, Set<String> otherIds) {}
