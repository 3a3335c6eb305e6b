package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.Senders;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.Incidents;
import org.habitline.timers.OccurrenceReader;

/**
 * Collects the facts that explain a participant's messaging status, for the page and the REST API.
 */
@Singleton
final class DeliveryDiagnosisDesk {

  /** How many of the newest messages to search, because debug messages among them are skipped. */
  private static final int LOOKED_AT = 5;

  private final ConsentGate consents;
  private final Incidents incidents;
  private final Participants participants;
  private final SendingStop sending;
  private final Senders senders;
  private final Channels channels;
  private final Takeover steppingIn;
  private final OccurrenceReader schedules;
  private final Outbox outbox;
  private final TurnReader conversations;
  private final Inbox inbox;
  private final Unclaimed unclaimed;
  private final AuditLog audit;
  private final FlowCatalog flows;
  private final Clock clock;

  DeliveryDiagnosisDesk(
      ConsentGate consents,
      Incidents incidents,
      Participants participants,
      SendingStop sending,
      Senders senders,
      Channels channels,
      Takeover steppingIn,
      OccurrenceReader schedules,
      Outbox outbox,
      TurnReader conversations,
      Inbox inbox,
      Unclaimed unclaimed,
      AuditLog audit,
      FlowCatalog flows,
      Clock clock) {
    this.consents = consents;
    this.incidents = incidents;
    this.participants = participants;
    this.sending = sending;
    this.senders = senders;
    this.channels = channels;
    this.steppingIn = steppingIn;
    this.schedules = schedules;
    this.outbox = outbox;
    this.conversations = conversations;
    this.inbox = inbox;
    this.unclaimed = unclaimed;
    this.audit = audit;
    this.flows = flows;
    this.clock = clock;
  }

  List<DeliveryDiagnosis.Reason> reasons(Participant participant) {
    var id = participant.id();
    var standing = schedules.standing(participant);
    var now = clock.instant();
    return DeliveryDiagnosis.of(
        new DeliveryDiagnosis.Facts(
            participant,
            participants.optOutOf(id),
            sending.inForce(),
            sender(participant),
            steppingIn.muted(id),
            standing.agenda(),
            standing.recent().stream()
                .filter(occurrence -> !occurrence.moment().at().isAfter(now))
                .findFirst(),
            lastText(id),
            outbox.firstOpen(id).map(text -> text.explained(channels)),
            changedNumber(id),
            conversations.turns(id, Integer.MAX_VALUE, 1).stream().findFirst(),
            inbox.unanswered(id).stream().map(Inbox.Unanswered::storedAt).findFirst(),
            unclaimed.waitingFrom(participant.phone())),
        flows.flow(participant.flow()).stream().allMatch(flow -> flow.dailyPrompt() != null),
        held(participant));
  }

  /** Returns what keeps the coach from a participant. */
  Set<DeliveryDiagnosis.Held> held(Participant participant) {
    var held = EnumSet.noneOf(DeliveryDiagnosis.Held.class);
    if (incidents.crisis(participant.id()).isPresent()) {
      held.add(DeliveryDiagnosis.Held.BY_INCIDENT);
    }
    if (consents.isMissing(participant)) {
      held.add(DeliveryDiagnosis.Held.BY_CONSENT);
    }
    return held;
  }

  private Optional<Outbox.Sent> lastText(String id) {
    return outbox.deliveries(id, Long.MAX_VALUE, LOOKED_AT).stream()
        .filter(text -> text.kind() != OutboundKind.DEBUG)
        .findFirst()
        .map(text -> text.explained(channels));
  }

  private Optional<Instant> changedNumber(String id) {
    return audit
        .entries(
            new AuditLog.Filter(id, "", AuditAction.PHONE_NUMBER_CHANGED.word()), Long.MAX_VALUE, 1)
        .stream()
        .map(AuditLog.Written::at)
        .findFirst();
  }

  private Optional<Senders.Stopped> sender(Participant participant) {
    return senders.stopped().stream()
        .filter(stopped -> stopped.channel() == participant.channel())
        .findFirst()
        .map(stopped ->
            new Senders.Stopped(
                stopped.channel(),
                channels.explained(stopped.channel(), stopped.code()),
                stopped.since(),
                stopped.triedAt()));
  }
}
