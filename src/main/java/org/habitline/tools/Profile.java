package org.habitline.tools;

import java.time.Instant;
import java.util.Map;

/**
 * What the line knows about a participant's habit (state data key {@code userProfile} of seed 003):
 * the flow's own fields by name, only those that hold something, and what the server itself counts.
 */
public record Profile(
    Map<String, String> fields,
    int successCount,
    int totalPrompts,
    Tone tone,
    Instant createdAt,
    Instant updatedAt) {}
