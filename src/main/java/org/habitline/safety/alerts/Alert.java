package org.habitline.safety.alerts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert about an incident.
 *
 * @param round how often somebody was alerted of the incident before
 * @param recipient the name on the rota
 * @param attempts how often it was tried
 * @param fault why the last attempt failed, if it did
 */
public record Alert(
    String id,
    String incidentId,
    int round,
    AlertChannel channel,
    String recipient,
    AlertStatus status,
    int attempts,
    Instant plannedAt,
    @Nullable Instant sentAt,
    @Nullable AlertFault fault) {}
