package org.habitline.participants;

import java.time.ZoneId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to enrol one person. {@code zoneAssumed} means that the request named no time zone;
 * {@code byText} means that they texted first and need no greeting.
 *
 * @param consentVersion the version of the consent text to which they consented elsewhere, or
 *     {@code null} if none is known
 * @param language the language to write to them in, or {@code null} for the default of the flow
 * @param studyId the study's own id of the person, or {@code null} if it gives none
 * @param fields values of the study's own fields, by name
 */
public record Enrolment(
    PhoneNumber phone,
    @Nullable String name,
    @Nullable String gender,
    @Nullable String ethnicity,
    @Nullable String background,
    ZoneId zone,
    boolean zoneAssumed,
    String flow,
    ChannelKind channel,
    boolean byText,
    @Nullable String consentVersion,
    @Nullable String language,
    @Nullable String studyId,
    Map<String, String> fields) {

  public Enrolment {
    fields = Map.copyOf(fields);
  }

  /** Returns a request that names only what every request needs, for a person in this zone. */
  public static Enrolment of(PhoneNumber phone, ZoneId zone, String flow, ChannelKind channel) {
    return new Enrolment(
        phone, null, null, null, null, zone, false, flow, channel, false, null, null, null,
        Map.of());
  }

  /** Returns a copy for a person who texted first and of whose zone nothing is known. */
  public Enrolment byTextFromAnywhere() {
    return with(name, true, true, consentVersion, language);
  }

  /** Returns a copy that names the person. */
  public Enrolment withName(String name) {
    return with(name, zoneAssumed, byText, consentVersion, language);
  }

  /** Returns a copy with the version that they consented to elsewhere, if any is known. */
  public Enrolment withConsent(@Nullable String consentVersion) {
    return with(name, zoneAssumed, byText, consentVersion, language);
  }

  /** Returns a copy that names the language. */
  public Enrolment withLanguage(String language) {
    return with(name, zoneAssumed, byText, consentVersion, language);
  }

  private Enrolment with(
      @Nullable String name,
      boolean zoneAssumed,
      boolean byText,
      @Nullable String consentVersion,
      @Nullable String language) {
    return new Enrolment(
        phone,
        name,
        gender,
        ethnicity,
        background,
        zone,
        zoneAssumed,
        flow,
        channel,
        byText,
        consentVersion,
        language,
        studyId,
        fields);
  }
}
