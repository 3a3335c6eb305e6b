package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A partial update; a {@code null} component leaves the field unchanged.
 *
 * @param consentVersion the version of the consent text to which they consented elsewhere
 * @param language the language to write to them in; its {@code null} text stands for the default of
 *     their flow
 */
public record ParticipantChange(
    @Nullable NewText name,
    @Nullable NewText gender,
    @Nullable NewText ethnicity,
    @Nullable NewText background,
    @Nullable ZoneId zone,
    @Nullable ParticipantStatus status,
    @Nullable String consentVersion,
    @Nullable NewText language) {

  /** Returns a change of everything but the language. */
  public ParticipantChange(
      @Nullable NewText name,
      @Nullable NewText gender,
      @Nullable NewText ethnicity,
      @Nullable NewText background,
      @Nullable ZoneId zone,
      @Nullable ParticipantStatus status,
      @Nullable String consentVersion) {
    this(name, gender, ethnicity, background, zone, status, consentVersion, null);
  }

  /** Returns a change of everything but consent and language. */
  public ParticipantChange(
      @Nullable NewText name,
      @Nullable NewText gender,
      @Nullable NewText ethnicity,
      @Nullable NewText background,
      @Nullable ZoneId zone,
      @Nullable ParticipantStatus status) {
    this(name, gender, ethnicity, background, zone, status, null, null);
  }

  /** Returns a change of the time zone alone. */
  public static ParticipantChange ofZone(ZoneId zone) {
    return new ParticipantChange(null, null, null, null, zone, null);
  }

  /** Returns a change of the language alone. */
  public static ParticipantChange ofLanguage(String language) {
    return new ParticipantChange(null, null, null, null, null, null, null, new NewText(language));
  }

  /** The new value of a text field; {@code null} clears it. */
  public record NewText(@Nullable String text) {}
}
