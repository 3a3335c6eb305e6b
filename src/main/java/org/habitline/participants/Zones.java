package org.habitline.participants;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a participant is: their time zone now, and the move to another one that is planned.
 *
 * @param move {@code null} if none is planned
 */
public record Zones(ZoneId now, @Nullable ZoneMove move) {

  /** Returns the zone that daily prompts follow at an instant: the new one once the move is due. */
  public ZoneId promptsAt(Instant instant) {
    return move == null || instant.isBefore(move.due(now)) ? now : move.to();
  }

  /**
   * Returns the zones in which the participant may be at an instant: both while the date of the
   * move has begun in the new zone only.
   */
  public List<ZoneId> at(Instant instant) {
    if (move == null || instant.atZone(move.to()).toLocalDate().isBefore(move.from())) {
      return List.of(now);
    }
    return instant.atZone(now).toLocalDate().isBefore(move.from())
        ? List.of(now, move.to())
        : List.of(move.to());
  }
}
