package org.habitline.participants;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A person enrolled by phone number. The id ({@code conv_…}) is also the id of their one
 * conversation. {@code zoneAssumed} means that the enrolment named no time zone, so the configured
 * default applies. A {@code contact} is a person whom a script messaged but who is not enrolled;
 * only methods that say so return contacts. The {@code move} to another zone is {@code null} if
 * none is planned.
 *
 * @param language the language that they are written to in, such as {@code es}, or {@code null} for
 *     the default of their flow
 * @param studyId the study's own id of the person, such as {@code S-0042}, or {@code null} if it
 *     gave none. No model is shown it
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
    boolean contact,
    Consent consent,
    @Nullable String language,
    @Nullable ZoneMove move,
    @Nullable String studyId) {

  /**
   * Returns what pages call the participant: the name, or else the study id, or "no name"; a
   * contact is "not enrolled".
   */
  public String shownName() {
    if (contact) {
      return "not enrolled";
    }
    if (name != null) {
      return name;
    }
    return studyId == null ? "no name" : studyId;
  }

  /**
   * Returns whether unsolicited messages are allowed: the participant is active and has not opted
   * out.
   */
  public boolean mayBeTexted() {
    return status == ParticipantStatus.ACTIVE && !optedOut;
  }

  /** Returns the participant's zone, with the move that is planned. */
  public Zones zones() {
    return new Zones(zone, move);
  }

  /**
   * Returns the value of seed 003's data key {@code participantBackground}: one line for each of
   * name, gender, ethnicity and background that is set; empty if none is.
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
