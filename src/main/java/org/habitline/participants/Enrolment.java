package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A request to enrol one person. {@code zoneAssumed} means that the request named no time zone;
 * {@code byText} means that they texted first and need no greeting.
 *
 * @param consentVersion the version of the consent text to which they consented elsewhere, or
 *     {@code null} if none is known
 * @param language the language to write to them in, or {@code null} for the default of the flow
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
    @Nullable String language) {

  /** Creates a request that names no language. */
  public Enrolment(
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
      @Nullable String consentVersion) {
    this(
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
        null);
  }

  /** Creates a request that names no consent and no language. */
  public Enrolment(
      PhoneNumber phone,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      ZoneId zone,
      boolean zoneAssumed,
      String flow,
      ChannelKind channel,
      boolean byText) {
    this(
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
        null,
        null);
  }
}
