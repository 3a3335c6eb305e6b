package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Objects;
import org.habitline.conversation.stored.JdbcIterations;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.RecordWriter;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.MessagingLifecycle;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.ParticipantStatus;

/**
 * Opens a conversation at enrolment and ends it at erasure: first it stops everything that is
 * running or waiting, then the flow's notice goes out, and once that was accepted or refused all
 * data is erased (see {@link LastNotice}). Participants who opted out and contacts get no notice
 * and are erased at once.
 */
@Singleton
final class ParticipantLifecycle implements ParticipantListener {

  private final MessagingLifecycle line;
  private final Outbox outbox;
  private final FlowCatalog flows;
  private final JdbcTurns turns;
  private final JdbcIterations iterations;
  private final JdbcStates states;
  private final RecordWriter records;
  private final ExportCopies exports;
  private final JdbcTranscript transcript;
  private final Clock clock;

  ParticipantLifecycle(
      MessagingLifecycle line,
      Outbox outbox,
      FlowCatalog flows,
      JdbcTurns turns,
      JdbcIterations iterations,
      JdbcStates states,
      RecordWriter records,
      ExportCopies exports,
      JdbcTranscript transcript,
      Clock clock) {
    this.line = line;
    this.outbox = outbox;
    this.flows = flows;
    this.turns = turns;
    this.iterations = iterations;
    this.states = states;
    this.records = records;
    this.exports = exports;
    this.transcript = transcript;
    this.clock = clock;
  }

  @Override
  public void enrolled(Participant participant, boolean byText) {
    states.open(participant.id());
    line.open(participant, !byText);
  }

  /**
   * Opens the state of a contact, because messages to and texts from contacts are turns as well.
   */
  @Override
  public void met(Participant contact) {
    states.open(contact.id());
    line.open(contact, false);
  }

  @Override
  public void updated(Participant before, Participant after) {
    if (before.status() != after.status() && after.status() == ParticipantStatus.ACTIVE) {
      states.remove(after.id(), StateKeys.STATUS_TEXT_SENT);
    }
    if (!Objects.equals(before.language(), after.language())) {
      // It is in the language before.
      states.remove(after.id(), StateKeys.PREPARED_PROMPT);
    }
    if (before.consent().state() != ConsentState.NOT_ASKED
        && before.consent().state() != ConsentState.ELSEWHERE
        && after.consent().state() == ConsentState.ELSEWHERE
        && turns.coached(after.id()) == 0) {
      // Their enrolment was answered with the question.
      line.consentRecorded(after);
    }
    outbox.withhold(after);
  }

  @Override
  public void leaving(Participant participant) {
    line.silence(participant.id());
    turns.cancel(participant.id(), "the participant is leaving", clock.instant());
    if (!participant.optedOut() && !participant.contact()) {
      var flow =
          flows.flow(participant.flow(), participant.language()).orElseGet(flows::defaultFlow);
      outbox.plan(
          new Outbox.Planned(
              participant.id(),
              null,
              null,
              OutboundKind.NOTICE,
              participant.channel(),
              flow.texts().deletionNotice()));
    }
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    line.erase(participantId);
    eraseConversation(participantId);
    if (!keepTranscript) {
      transcript.erase(participantId);
    }
  }

  @Override
  public void absorbed(String contactId, String participantId) {
    line.eraseButTheirNumber(contactId);
    eraseConversation(contactId);
    transcript.erase(contactId);
  }

  private void eraseConversation(String participantId) {
    turns.erase(participantId);
    iterations.erase(participantId);
    states.eraseData(participantId);
    states.eraseChanges(participantId);
    states.eraseState(participantId);
    records.erase(participantId);
    exports.erase(participantId);
  }
}
