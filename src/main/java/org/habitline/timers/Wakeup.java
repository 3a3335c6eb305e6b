package org.habitline.timers;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A durable instruction to do something at an instant.
 *
 * @param id {@code wku_…}
 * @param dueAt study time
 * @param wall {@code dueAt} in the participant's zone at the time of planning
 * @param guard the condition that must still hold when it is due, in a form that only its kind
 *     defines
 * @param reason why it was dropped or cancelled
 */
public record Wakeup(
    String id,
    String participantId,
    WakeupKind kind,
    Instant dueAt,
    LocalDateTime wall,
    ZoneId zone,
    String guard,
    Status status,
    @Nullable String reason) {

  /** The progress of a wake-up. */
  public enum Status {
    /** It is not due yet. */
    WAITING,
    /** It is due and in the inbox; its turn decides what to do. */
    RUNG,
    /** It was carried out. */
    DONE,
    /** Its guard no longer held. */
    DROPPED,
    /** It was cancelled before it was carried out. */
    CANCELLED
  }
}
