package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** A partial update: a {@code null} component leaves the field as it is. */
public record ParticipantChange(
    @Nullable NewText name,
    @Nullable NewText gender,
    @Nullable NewText ethnicity,
    @Nullable NewText background,
    @Nullable ZoneId zone,
    @Nullable ParticipantStatus status) {

  /** Only the zone. */
  public static ParticipantChange ofZone(ZoneId zone) {
    return new ParticipantChange(null, null, null, null, zone, null);
  }

  /** What a text field shall say; {@code null} clears it. */
  public record NewText(@Nullable String text) {}
}
