package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A request to enrol one person. {@code zoneAssumed} means that the request named no time zone;
 * {@code byText} means that they texted first and need no greeting.
 *
 * @param consentVersion the version of the consent text to which they consented elsewhere, or
 *     {@code null} if none is known
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
    @Nullable String consentVersion) {

  /** Creates a request that names no consent. */
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
        phone, name, gender, ethnicity, background, zone, zoneAssumed, flow, channel, byText, null);
  }
}
