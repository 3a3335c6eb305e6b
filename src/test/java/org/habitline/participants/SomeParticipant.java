package org.habitline.participants;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** Participants of the habit flow for tests without a database; all are called Robin. */
public final class SomeParticipant {

  private SomeParticipant() {}

  public static Participant of(
      ZoneId zone, ChannelKind channel, ParticipantStatus status, boolean optedOut, Instant at) {
    return of(null, zone, channel, status, optedOut, at);
  }

  public static Participant of(
      @Nullable String background,
      ZoneId zone,
      ChannelKind channel,
      ParticipantStatus status,
      boolean optedOut,
      Instant at) {
    return new Participant(
        "conv_0123456789abcdef01234567",
        new PhoneNumber("+12065550100"),
        "Robin Example",
        null,
        null,
        background,
        zone,
        false,
        "habit",
        channel,
        status,
        optedOut,
        at,
        at,
        at,
        false,
        Consent.NONE,
        null,
        null,
        null);
  }
}
