package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** A partial update; a {@code null} component leaves the field unchanged. */
public record ParticipantChange(
    @Nullable NewText name,
    @Nullable NewText gender,
    @Nullable NewText ethnicity,
    @Nullable NewText background,
    @Nullable ZoneId zone,
    @Nullable ParticipantStatus status) {

  /** Returns a change of the time zone alone. */
  public static ParticipantChange ofZone(ZoneId zone) {
    return new ParticipantChange(null, null, null, null, zone, null);
  }

  /** The new value of a text field; {@code null} clears it. */
  public record NewText(@Nullable String text) {}
}
