package org.habitline.safety.alerts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A test alert: an alert of nobody's danger to everybody on the rota, by all their methods. Times
 * are system time.
 *
 * @param startedBy the staff member, or {@code habitline} for the weekly one
 * @param passedAt when it had been acknowledged and sent by two methods
 */
public record AlertTest(
    String id,
    Instant startedAt,
    String startedBy,
    @Nullable Instant acknowledgedAt,
    @Nullable String acknowledgedBy,
    @Nullable Instant passedAt) {}
