package org.habitline.participants;

import java.time.ZoneId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A partial update; a {@code null} component leaves the field unchanged.
 *
 * @param zone also cancels a planned move if it differs from the present zone
 * @param consentVersion the version of the consent text to which they consented elsewhere
 * @param language the language to write to them in; its {@code null} text stands for the default of
 *     their flow
 * @param studyId the study's own id of the person
 * @param fields values of the study's own fields, by name; those that are not named stay
 */
public record ParticipantChange(
    @Nullable NewText name,
    @Nullable NewText gender,
    @Nullable NewText ethnicity,
    @Nullable NewText background,
    @Nullable ZoneId zone,
    @Nullable ParticipantStatus status,
    @Nullable String consentVersion,
    @Nullable NewText language,
    @Nullable NewMove move,
    @Nullable NewText studyId,
    Map<String, NewText> fields) {

  public ParticipantChange {
    fields = Map.copyOf(fields);
  }

  /** Returns a change of the status alone. */
  public static ParticipantChange ofStatus(ParticipantStatus status) {
    return new ParticipantChange(
        null, null, null, null, null, status, null, null, null, null, Map.of());
  }

  /** Returns a change of what is known about the person. */
  public static ParticipantChange ofPerson(
      @Nullable NewText name,
      @Nullable NewText gender,
      @Nullable NewText ethnicity,
      @Nullable NewText background) {
    return new ParticipantChange(
        name, gender, ethnicity, background, null, null, null, null, null, null, Map.of());
  }

  /** Returns the record of a consent that was given elsewhere. */
  public static ParticipantChange ofConsent(String version) {
    return new ParticipantChange(
        null, null, null, null, null, null, version, null, null, null, Map.of());
  }

  /** Returns a change of the time zone from now on; a planned move no longer holds. */
  public static ParticipantChange ofZone(ZoneId zone) {
    return new ParticipantChange(
        null, null, null, null, zone, null, null, null, new NewMove(null), null, Map.of());
  }

  /** Returns a change of the language alone. */
  public static ParticipantChange ofLanguage(String language) {
    return new ParticipantChange(
        null, null, null, null, null, null, null, new NewText(language), null, null, Map.of());
  }

  /**
   * Returns the plan of a move to another time zone, in place of one that was planned before;
   * {@code null} if there is no move any more.
   */
  public static ParticipantChange ofMove(@Nullable ZoneMove move) {
    return new ParticipantChange(
        null, null, null, null, null, null, null, null, new NewMove(move), null, Map.of());
  }

  /** The planned move to another time zone; {@code null} cancels it. */
  public record NewMove(@Nullable ZoneMove move) {}

  /** The new value of a text field; {@code null} clears it. */
  public record NewText(@Nullable String text) {}
}
