package org.habitline.safety.alerts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert about an incident.
 *
 * @param round how often somebody was alerted of the incident before
 * @param recipient the name on the rota
 * @param attempts how often it was tried; by SMS, how often the outbox tried it
 * @param triedAt when it was last tried
 * @param fault why the last try failed, if it did
 * @param httpStatus the webhook's answer to the last try, if that failed
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
    @Nullable Instant triedAt,
    @Nullable Instant sentAt,
    @Nullable AlertFault fault,
    @Nullable Integer httpStatus) {

  /** Returns how often it was tried, in words. */
  public String tries() {
    return attempts == 1 ? "1 try" : attempts + " tries";
  }

  /** Returns why the last try failed, in words for staff, or empty if none failed. */
  public String why() {
    return switch (fault) {
      case null -> "";
      case UNREACHABLE -> "no connection to its server";
      case TOO_SLOW -> "no answer from its server in time";
      case REFUSED ->
          httpStatus == null
              ? "its server refused it"
              : "its server answered with HTTP status " + httpStatus;
      case MISCONFIGURED -> "its recipient or its server in config/study.yaml cannot be used";
      case NO_SENDER -> "no sender for SMS is configured";
      case OPTED_OUT -> "the number opted out";
      case UNDELIVERED -> "the provider could not deliver it in time";
    };
  }
}
