package org.habitline.participants;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * Who shall take part. {@code zoneAssumed} says that nobody named the zone, {@code byText} that
 * they texted first and need no greeting.
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
