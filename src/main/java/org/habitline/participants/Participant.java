package org.habitline.participants;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A person enrolled by phone number. The id ({@code conv_…}) is also the id of their one
 * conversation. {@code zoneAssumed} says that nobody named a zone at enrolment and the configured
 * default stands in. A {@code contact} is somebody whom a script texted and nobody enrolled: only
 * who says so finds contacts.
 */
public record Participant(
    String id,
    PhoneNumber phone,
    @Nullable String name,
    @Nullable String gender,
    @Nullable String ethnicity,
    @Nullable String background,
    ZoneId zone,
    boolean zoneAssumed,
    String flow,
    ChannelKind channel,
    ParticipantStatus status,
    boolean optedOut,
    Instant enrolledAt,
    Instant createdAt,
    Instant updatedAt,
    boolean contact) {

  /** Somebody who is enrolled. */
  public Participant(
      String id,
      PhoneNumber phone,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      ZoneId zone,
      boolean zoneAssumed,
      String flow,
      ChannelKind channel,
      ParticipantStatus status,
      boolean optedOut,
      Instant enrolledAt,
      Instant createdAt,
      Instant updatedAt) {
    this(
        id,
        phone,
        name,
        gender,
        ethnicity,
        background,
        zone,
        zoneAssumed,
        flow,
        channel,
        status,
        optedOut,
        enrolledAt,
        createdAt,
        updatedAt,
        false);
  }

  /** Whether the line may text them without being asked: active, and no STOP. */
  public boolean mayBeTexted() {
    return status == ParticipantStatus.ACTIVE && !optedOut;
  }

  /**
   * The state data key {@code participantBackground} of seed 003: one line for each of name,
   * gender, ethnicity and background that was given; empty when none was.
   */
  public String backgroundText() {
    var lines = new StringBuilder();
    line(lines, "Name", name);
    line(lines, "Gender", gender);
    line(lines, "Ethnicity", ethnicity);
    line(lines, "Background", background);
    return lines.toString().stripTrailing();
  }

  private static void line(StringBuilder lines, String label, @Nullable String value) {
    if (value != null && !value.isBlank()) {
      lines.append(label).append(": ").append(value).append('\n');
    }
  }
}
