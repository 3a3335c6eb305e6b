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
 * @param wall the same in the participant's zone as it was when this was planned
 * @param guard what must still be so when it rings, in the words of whoever planned it
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

  /** How far a wake-up came. */
  public enum Status {
    /** Its instant has not come. */
    WAITING,
    /** It stands in the inbox; its turn decides. */
    RUNG,
    /** It did what it was for. */
    DONE,
    /** Its guard held no longer. */
    DROPPED,
    /** Somebody took it back. */
    CANCELLED
  }
}
