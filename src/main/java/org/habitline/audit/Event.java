package org.habitline.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that just happened, for live pages. The payload is JSON and holds ids, never a text.
 */
public record Event(
    long seq, Instant at, String type, @Nullable String participantId, String payload) {}
