package org.habitline.conversation.takeover;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.safety.incidents.IncidentMessages;
import org.habitline.storage.Ids;
import org.habitline.timers.Schedules;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages that no turn wrote: those of staff and the fixed texts of incidents. Each is
 * written to the transcript and planned. All methods join the running transaction.
 */
@Singleton
final class DirectMessages implements IncidentMessages {

  private final JdbcTranscript transcript;
  private final Outbox outbox;
  private final Schedules schedules;
  private final Events events;
  private final Clock clock;

  DirectMessages(
      JdbcTranscript transcript, Outbox outbox, Schedules schedules, Events events, Clock clock) {
    this.transcript = transcript;
    this.outbox = outbox;
    this.schedules = schedules;
    this.events = events;
    this.clock = clock;
  }

  @Override
  public String send(
      Participant to, String text, OutboundKind kind, ChannelKind channel, String incidentId) {
    return send(to, text, kind, channel, null, incidentId);
  }

  /**
   * Sends a message and returns its id.
   *
   * @param by the staff member who wrote it, or {@code null} if Habitline did
   * @param incidentId the incident that it belongs to, or {@code null}
   */
  String send(
      Participant to,
      String text,
      OutboundKind kind,
      ChannelKind channel,
      @Nullable String by,
      @Nullable String incidentId) {
    var id = Ids.ordered("msg");
    var planned = new Outbox.Planned(to.id(), null, id, kind, channel, text);
    send(to, planned, id, by, incidentId, false);
    if (by != null) {
      schedules.askedSomethingElse(to.id());
    }
    return id;
  }

  /**
   * Sends a message that a staff member wrote to many, after the replies that wait; returns its id.
   * It does not count as a reply: a text, a question or a prompt that waits for one keeps waiting.
   */
  String sendToOneOfMany(Participant to, String text, ChannelKind channel, String by) {
    var id = Ids.ordered("msg");
    var planned = new Outbox.Planned(to.id(), null, id, OutboundKind.STAFF, channel, text);
    send(to, planned.asOneOfMany(), id, by, null, true);
    return id;
  }

  private void send(
      Participant to,
      Outbox.Planned planned,
      String id,
      @Nullable String by,
      @Nullable String incidentId,
      boolean oneOfMany) {
    transcript.save(
        new JdbcTranscript.Row(
            null,
            id,
            to.id(),
            MessageRole.ASSISTANT,
            planned.body(),
            planned.channel(),
            JdbcTranscript.NO_TURN,
            by == null ? Author.BOT : Author.STAFF,
            clock.instant(),
            by,
            incidentId,
            false,
            oneOfMany));
    outbox.plan(planned);
    events.emit("message.completed", to.id(), Map.of("message_ids", List.of(id)));
  }
}
