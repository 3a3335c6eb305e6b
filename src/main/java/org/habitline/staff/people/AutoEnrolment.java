package org.habitline.staff.people;

import jakarta.inject.Singleton;
import java.time.ZoneId;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.inbox.Newcomers;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.staff.web.StaffSettings;
import org.jspecify.annotations.Nullable;

/**
 * Enrols anyone who texts from an unknown number, if {@code AUTO_ENROLL_NEW_USERS} is on: in the
 * default flow and the service's default time zone, which is marked as assumed.
 */
@Singleton
final class AutoEnrolment implements Newcomers {

  private final Participants participants;
  private final FlowCatalog flows;
  private final AuditLog audit;
  private final StaffSettings settings;
  private final AutoEnrolSettings wanted;

  AutoEnrolment(
      Participants participants,
      FlowCatalog flows,
      AuditLog audit,
      StaffSettings settings,
      AutoEnrolSettings wanted) {
    this.participants = participants;
    this.flows = flows;
    this.audit = audit;
    this.settings = settings;
    this.wanted = wanted;
  }

  @Override
  public Optional<Participant> welcome(PhoneNumber from, ChannelKind channel) {
    if (!wanted.newUsers() || participants.isTaken(from)) {
      return Optional.empty();
    }
    var newcomer = participants.enrol(enrolment(from, channel));
    audit.record(
        AuditEntry.of("habitline", "system", AuditAction.PARTICIPANT_ENROLLED).to(newcomer.id()));
    return Optional.of(newcomer);
  }

  @Override
  public @Nullable Participant contact(PhoneNumber from, ChannelKind channel) {
    return participants.isTaken(from) ? null : participants.meet(enrolment(from, channel));
  }

  private Enrolment enrolment(PhoneNumber from, ChannelKind channel) {
    return Enrolment.of(
            from, ZoneId.of(settings.defaultTimezone()), flows.defaultFlow().id(), channel)
        .byTextFromAnywhere();
  }
}
