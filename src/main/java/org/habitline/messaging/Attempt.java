package org.habitline.messaging;

import java.time.Instant;
import java.util.Set;

/**
 * A send attempt whose outcome is unknown.
 *
 * @param at when the message was given to the channel, in system time
 * @param otherIds the provider's ids of other messages to the same participant; a look-up must not
 *     take one of them for this message
 */
public record Attempt(Instant at, Set<String> otherIds) {}
