package org.habitline.rehearsal;

import jakarta.inject.Singleton;
import java.time.Duration;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.Incidents;
import org.habitline.storage.Transactions;

/** Does what staff do in an {@link Episode}. Does nothing if there is no crisis to look after. */
@Singleton
final class StudyStaff {

  private static final String NAME = "rehearsed staff";
  private static final Duration TAKEOVER = Duration.ofHours(4);

  private final Takeover takeover;
  private final Incidents incidents;
  private final Participants participants;
  private final Transactions transactions;

  StudyStaff(
      Takeover takeover,
      Incidents incidents,
      Participants participants,
      Transactions transactions) {
    this.takeover = takeover;
    this.incidents = incidents;
    this.participants = participants;
    this.transactions = transactions;
  }

  void takeOver(Participant participant) {
    takeover.mute(participant.id(), TAKEOVER, NAME);
  }

  /** Acknowledges the participant's crisis and records a contact. */
  void lookAfter(Participant participant) {
    incidents
        .crisis(participant.id())
        .ifPresent(incident -> {
          incidents.acknowledge(incident, NAME);
          incidents.record(incident, EntryKind.CONTACT, "Rehearsed: reached by telephone.", NAME);
        });
  }

  /** Releases the participant's crisis, with a first message if they may be texted. */
  void release(Participant participant) {
    incidents
        .crisis(participant.id())
        .ifPresent(incident ->
            transactions.write(() -> {
              incidents.release(incident, IncidentOutcome.REFERRED, null, NAME);
              participants
                  .find(participant.id())
                  .filter(Participant::mayBeTexted)
                  .ifPresent(it -> {
                    var _ =
                        takeover.write(
                            it, "Good to talk with you today.", NAME, OutboundKind.STAFF);
                  });
            }));
  }
}
