package org.habitline.staff;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/** A participant as REST shows one. */
@Schema(name = "Participant")
record ParticipantView(
    String id,
    String phoneNumber,
    @Nullable String name,
    @Nullable String gender,
    @Nullable String ethnicity,
    @Nullable String background,
    String timezone,
    boolean timezoneAssumed,
    String flow,
    String channel,
    String status,
    boolean optedOut,
    Instant enrolledAt,
    Instant createdAt,
    Instant updatedAt,
    @Nullable List<String> warnings) {

  static ParticipantView of(Participant participant) {
    return of(participant, List.of());
  }

  static ParticipantView of(Participant participant, List<String> warnings) {
    return new ParticipantView(
        participant.id(),
        participant.phone().e164(),
        participant.name(),
        participant.gender(),
        participant.ethnicity(),
        participant.background(),
        participant.zone().getId(),
        participant.zoneAssumed(),
        participant.flow(),
        participant.channel().word(),
        participant.status().word(),
        participant.optedOut(),
        participant.enrolledAt(),
        participant.createdAt(),
        participant.updatedAt(),
        warnings.isEmpty() ? null : warnings);
  }
}
