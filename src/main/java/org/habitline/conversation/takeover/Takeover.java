package org.habitline.conversation.takeover;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.Incidents;
import org.habitline.storage.Transactions;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Lets staff take over a conversation: write messages, pause automatic replies for a while, and
 * choose the module that replies next. Every method that changes something holds the participant,
 * so that it and the commit of a turn run one after the other; a turn that is running meanwhile
 * sends no message of the coach once automatic replies are paused, and does not overwrite a module
 * that staff chose. All methods join a running transaction.
 */
@Singleton
public final class Takeover implements ParticipantListener {

  private static final String CHANGED = "participant.changed";
  private static final List<WakeupKind> MOVES =
      List.of(WakeupKind.TRANSITION, WakeupKind.AUTO_FEEDBACK);

  private final JdbcTakeovers rows;
  private final JdbcStates states;
  private final DirectMessages messages;
  private final Participants participants;
  private final FlowCatalog flows;
  private final Inbox inbox;
  private final Timers timers;
  private final Incidents incidents;
  private final Events events;
  private final Transactions transactions;
  private final Clock clock;

  Takeover(
      JdbcTakeovers rows,
      JdbcStates states,
      DirectMessages messages,
      Participants participants,
      FlowCatalog flows,
      Inbox inbox,
      Timers timers,
      Incidents incidents,
      Events events,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.states = states;
    this.messages = messages;
    this.participants = participants;
    this.flows = flows;
    this.inbox = inbox;
    this.timers = timers;
    this.incidents = incidents;
    this.events = events;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Sends a message from a staff member and returns its id. The message is in the transcript under
   * their name, models of later turns see it unless the participant is in a crisis, and it goes out
   * by the channel of the participant's last text.
   *
   * @param by the staff member
   * @param kind {@link OutboundKind#STAFF} or another kind that people write
   */
  public String write(Participant participant, String text, String by, OutboundKind kind) {
    return transactions.write(() -> {
      participants.hold(participant.id());
      var channel = inbox.lastChannel(participant.id()).orElse(participant.channel());
      var incident = incidents.crisis(participant.id()).map(Incident::id).orElse(null);
      var id = messages.send(participant, text, kind, channel, by, incident);
      changed(participant.id(), "written");
      return id;
    });
  }

  /**
   * Sends a message that a staff member wrote to many participants at once, as {@link #write} does,
   * but after the replies that wait. The participant must not be in a crisis.
   */
  public String writeToOneOfMany(Participant participant, String text, String by) {
    return transactions.write(() -> {
      participants.hold(participant.id());
      var channel = inbox.lastChannel(participant.id()).orElse(participant.channel());
      var id = messages.sendToOneOfMany(participant, text, channel, by);
      changed(participant.id(), "written");
      return id;
    });
  }

  /**
   * A takeover in force.
   *
   * @param until study time at which automatic replies resume
   */
  public record Mute(Instant until, String by) {}

  /** Pauses automatic replies from now on; replaces a pause that is in force. */
  public Mute mute(String participantId, Duration time, String by) {
    return transactions.write(() -> {
      participants.hold(participantId);
      var until = clock.instant().plus(time);
      rows.mute(participantId, until, by);
      handBackAt(participantId, until);
      changed(participantId, "muted");
      return new Mute(until, by);
    });
  }

  /**
   * Resumes automatic replies; texts that came meanwhile and got no reply get one now. Returns
   * false if replies were not paused.
   */
  public boolean handBack(String participantId) {
    return transactions.write(() -> {
      participants.hold(participantId);
      if (muted(participantId).isEmpty()) {
        return false;
      }
      rows.mute(participantId, null, null);
      handBackAt(participantId, clock.instant());
      changed(participantId, "handed_back");
      return true;
    });
  }

  private void handBackAt(String participantId, Instant at) {
    participants
        .find(participantId)
        .ifPresent(it ->
            timers.plan(new Timers.Plan(participantId, WakeupKind.HAND_BACK, at, it.zone(), "")));
  }

  /** Returns the takeover in force, if there is one. */
  public Optional<Mute> muted(String participantId) {
    return transactions
        .read(() -> rows.muted(participantId, clock.instant()))
        .map(row -> new Mute(row.mutedUntil(), String.valueOf(row.mutedBy())));
  }

  /** The result of {@link Takeover#force}. */
  public sealed interface Forced {
    /**
     * The module replies from the next turn on.
     *
     * @param before the module that replied until now
     */
    record Done(String before) implements Forced {}

    record WasSo() implements Forced {}

    /**
     * The flow has no such module.
     *
     * @param modules the modules it has
     */
    record Unknown(List<String> modules) implements Forced {}
  }

  /** Sets the module that replies next; cancels a delayed move. */
  public Forced force(Participant participant, String subState, String by) {
    return transactions.write(() -> {
      participants.hold(participant.id());
      var flow = flows.flow(participant.flow());
      var modules = flow.map(it -> List.copyOf(it.modules().keySet())).orElse(List.of());
      if (!modules.contains(subState)) {
        return new Forced.Unknown(modules);
      }
      var stored = states.datum(participant.id(), StateKeys.CONVERSATION_STATE).orElse(null);
      var before =
          stored == null || !modules.contains(stored) ? flow.orElseThrow().initialState() : stored;
      if (before.equals(subState)) {
        return new Forced.WasSo();
      }
      states.put(participant.id(), StateKeys.CONVERSATION_STATE, subState, clock.instant());
      timers.cancel(participant.id(), MOVES, "moved to another module by " + by);
      changed(participant.id(), "state_forced");
      return new Forced.Done(before);
    });
  }

  /** Publishes a change, so that open pages refresh. */
  public void changed(@Nullable String participantId, String what) {
    events.emit(CHANGED, participantId, Map.of("what", what));
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
