package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A request to enrol one person. {@code zoneAssumed} means that the request named no time zone;
 * {@code byText} means that they texted first and need no greeting.
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
    boolean byText) {}
