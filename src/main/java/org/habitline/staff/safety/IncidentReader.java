package org.habitline.staff.safety;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.messaging.Channels;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.ReadLog;
import org.jspecify.annotations.Nullable;

/** Reads incidents for the pages and the REST API; the audit log records who read which one. */
@Singleton
final class IncidentReader {

  /** How many incidents a list has at most. */
  static final int MOST = 500;

  private static final int DELIVERIES = 200;

  private final Incidents incidents;
  private final Alerting alerting;
  private final Participants participants;
  private final TranscriptReader transcript;
  private final Inbox inbox;
  private final Outbox outbox;
  private final Channels channels;
  private final ReadLog reads;
  private final Clock clock;

  IncidentReader(
      Incidents incidents,
      Alerting alerting,
      Participants participants,
      TranscriptReader transcript,
      Inbox inbox,
      Outbox outbox,
      Channels channels,
      ReadLog reads,
      Clock clock) {
    this.incidents = incidents;
    this.alerting = alerting;
    this.participants = participants;
    this.transcript = transcript;
    this.inbox = inbox;
    this.outbox = outbox;
    this.channels = channels;
    this.reads = reads;
    this.clock = clock;
  }

  /**
   * Returns the incidents of a status: crises first, then the longest open; released ones newest
   * first. At most {@value #MOST}.
   *
   * @param wanted {@code open}, {@code acknowledged}, {@code released}, or {@code unreleased},
   *     which {@code null} means too
   * @throws ApiProblem 400 for any other word
   */
  List<Incident> list(@Nullable String wanted) {
    return switch (wanted == null ? "unreleased" : wanted) {
      case "unreleased" -> incidents.unreleased(MOST);
      case "open" -> unreleased(IncidentStatus.OPEN);
      case "acknowledged" -> unreleased(IncidentStatus.ACKNOWLEDGED);
      case "released" -> incidents.released(MOST);
      default ->
          throw ApiProblem.bad("status: expected open, acknowledged, released or unreleased.");
    };
  }

  private List<Incident> unreleased(IncidentStatus status) {
    return incidents.unreleased(Integer.MAX_VALUE).stream()
        .filter(it -> it.status() == status)
        .limit(MOST)
        .toList();
  }

  /** Returns the people of these incidents by their id, also those who are not enrolled. */
  Map<String, Participant> people(List<Incident> of) {
    var ids =
        of.stream()
            .map(Incident::participantId)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return participants.theseWithContacts(ids).stream()
        .collect(Collectors.toMap(Participant::id, it -> it));
  }

  /**
   * Returns an incident.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  Incident incident(String id) {
    return incidents
        .find(id)
        .orElseThrow(() -> ApiProblem.notFound("There is no incident with this id."));
  }

  /** Returns who is in an incident, or empty if they were erased or never had a number. */
  Optional<Participant> person(Incident incident) {
    return Optional.ofNullable(incident.participantId()).flatMap(participants::findWithContacts);
  }

  /**
   * Everything about one incident.
   *
   * @param person who may be in danger, or {@code null} if they were erased or have no number
   * @param lines what they wrote and what was sent to them, oldest first
   * @param entries what happened, oldest first
   * @param alerts whom it alerted, oldest first
   * @param next whom it alerts next, if no one acknowledges it
   * @param now study time
   */
  record Report(
      Incident incident,
      @Nullable Participant person,
      List<Line> lines,
      List<IncidentEntry> entries,
      List<Alert> alerts,
      Optional<Alerting.NextAlert> next,
      Instant now) {

    /** Returns why no message can be sent to the person now, in a sentence, or empty. */
    Optional<String> silence() {
      return IncidentReader.silence(person);
    }
  }

  /**
   * A text of the participant, or a message to them.
   *
   * @param messageId the id of a message to them, or {@code null}
   * @param authorName the staff member who wrote it, or {@code null}
   * @param at study time
   * @param delivery how far a message to them came, or {@code null} for their own text
   */
  record Line(
      @Nullable String messageId,
      Author author,
      @Nullable String authorName,
      String text,
      Instant at,
      @Nullable Delivery delivery) {}

  /**
   * How far a message came.
   *
   * @param status in the words of {@link Outbox.Stage}
   * @param at when it came that far, by the provider's reports or our own record
   * @param reason why it was not delivered, or {@code null}
   */
  record Delivery(Outbox.Stage status, Instant at, @Nullable String reason) {}

  /**
   * Reads an incident and records the read.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  Report report(Authentication by, String id) {
    var incident = incident(id);
    reads.incident(by, incident.id(), incident.participantId());
    var entries = incidents.entries(id);
    return new Report(
        incident,
        person(incident).orElse(null),
        lines(incident, entries),
        entries,
        alerting.of(id),
        incident.alertsStaff() && incident.status() == IncidentStatus.OPEN
            ? alerting.next(id)
            : Optional.empty(),
        clock.instant());
  }

  /**
   * Returns the texts that a rule found, also while no turn has put them into the transcript, and
   * the messages of the transcript that belong to the incident.
   */
  private List<Line> lines(Incident incident, List<IncidentEntry> entries) {
    var found = entries.stream().flatMap(it -> Stream.ofNullable(it.textId())).toList();
    var person = incident.participantId();
    var messages =
        person == null
            ? List.<TranscriptReader.Message>of()
            : transcript.ofIncident(person, incident.id());
    var deliveries = deliveries(person, messages);
    return Stream.concat(
            inbox.texts(found).stream()
                .map(text ->
                    new Line(
                        null,
                        Author.PARTICIPANT,
                        null,
                        shown(text.body()),
                        text.receivedAt(),
                        null)),
            messages.stream().map(message -> line(message, deliveries)))
        .distinct()
        .sorted(Comparator.comparing(Line::at))
        .toList();
  }

  /** Returns the words, or a sentence if their retention is over. */
  private static String shown(String words) {
    return words.isEmpty() ? "Removed: the retention of this incident is over" : words;
  }

  private static Line line(TranscriptReader.Message message, Map<String, Delivery> deliveries) {
    return new Line(
        message.author() == Author.PARTICIPANT ? null : message.id(),
        message.author(),
        message.authorName(),
        shown(message.content()),
        message.createdAt(),
        deliveries.get(message.id()));
  }

  private Map<String, Delivery> deliveries(
      @Nullable String person, List<TranscriptReader.Message> messages) {
    var sent =
        messages.stream()
            .filter(it -> it.author() != Author.PARTICIPANT)
            .map(TranscriptReader.Message::id)
            .toList();
    if (person == null || sent.isEmpty()) {
      return Map.of();
    }
    var reasons =
        outbox.deliveries(person, Long.MAX_VALUE, DELIVERIES).stream()
            .filter(it -> it.messageId() != null)
            .map(it -> it.explained(channels))
            .filter(it -> reason(it) != null)
            .collect(
                Collectors.toMap(
                    it -> String.valueOf(it.messageId()),
                    it -> String.valueOf(reason(it)),
                    (newest, older) -> newest));
    return outbox.progress(sent).entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                it ->
                    new Delivery(
                        it.getValue().stage(), it.getValue().at(), reasons.get(it.getKey()))));
  }

  private static @Nullable String reason(Outbox.Sent delivery) {
    return delivery.reason() == null ? delivery.errorCode() : delivery.reason();
  }

  /** Returns why nobody can text this person now, in a sentence, or empty if somebody can. */
  static Optional<String> silence(@Nullable Participant person) {
    if (person == null) {
      return Optional.of("The participant was erased, or the sender has no number to text.");
    }
    if (person.contact()) {
      return Optional.of("The number belongs to no participant.");
    }
    if (person.optedOut()) {
      return Optional.of("The participant opted out with STOP and gets no messages. Call them.");
    }
    return person.status() == ParticipantStatus.ACTIVE
        ? Optional.empty()
        : Optional.of(
            "The participant's status is "
                + person.status().word()
                + "; only active participants get messages.");
  }
}
