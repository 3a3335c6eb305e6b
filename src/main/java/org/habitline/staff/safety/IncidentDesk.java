package org.habitline.staff.safety;

import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentRefused;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.habitline.safety.rules.RiskKind;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledges incidents, adds what staff did, and releases them, for the page and the REST API.
 * Each method checks its input, and makes the change and its audit entry in one transaction. The
 * audit log has no notes, because they may be about the participant.
 */
@Singleton
final class IncidentDesk {

  /** The longest note, in characters. */
  static final int LONGEST_NOTE = 2000;

  /** The longest first message, in characters. */
  static final int LONGEST_MESSAGE = 1600;

  private final Incidents incidents;
  private final IncidentReader reader;
  private final Takeover takeover;
  private final Participants participants;
  private final AuditLog audit;
  private final Transactions transactions;

  IncidentDesk(
      Incidents incidents,
      IncidentReader reader,
      Takeover takeover,
      Participants participants,
      AuditLog audit,
      Transactions transactions) {
    this.incidents = incidents;
    this.reader = reader;
    this.takeover = takeover;
    this.participants = participants;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * Records that the caller looks after an incident, or saw the text that came since somebody
   * acknowledged it.
   *
   * @throws ApiProblem 404 if there is no such incident, 409 if it is released, or acknowledged
   *     with no text since
   */
  Incident acknowledge(Actor actor, String id) {
    return change(
        id,
        incident -> {
          incidents.acknowledge(incident, actor.name());
          audit(
              actor,
              AuditAction.INCIDENT_ACKNOWLEDGED,
              incident,
              incident.status().word(),
              IncidentStatus.ACKNOWLEDGED.word());
        });
  }

  /**
   * Adds what the caller did.
   *
   * @param kind {@code attempt}, {@code contact} or {@code decision}
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such incident, 409 if
   *     it is released
   */
  IncidentEntry add(Actor actor, String id, @Nullable String kind, @Nullable String note) {
    var what =
        EntryKind.added(stripped(kind))
            .orElseThrow(() -> ApiProblem.bad("kind: expected attempt, contact or decision."));
    var words = note(note);
    if (words == null) {
      throw ApiProblem.bad("note: missing; write what you did, and the result.");
    }
    return transactions.write(() -> {
      var incident =
          change(
              id,
              now -> {
                incidents.record(now, what, words, actor.name());
                audit(actor, AuditAction.INCIDENT_ENTRY_ADDED, now, null, what.word());
              });
      return incidents.entries(incident.id()).getLast();
    });
  }

  /**
   * How an incident ends.
   *
   * @param outcome a word of {@link IncidentOutcome}
   * @param message the first message to the participant; blank if there is none
   */
  record Release(@Nullable String outcome, @Nullable String note, @Nullable String message) {}

  /**
   * Releases an incident and sends the first message in the same transaction; coaching resumes. A
   * crisis needs a message, unless the participant may not be texted now.
   *
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such incident, 409 if
   *     it cannot be released now, or if there is a message that cannot be sent
   */
  Incident release(Actor actor, String id, Release wanted) {
    var how = outcome(reader.incident(id).kind(), wanted.outcome());
    var note = note(wanted.note());
    var text = message(wanted.message());
    return change(
        id,
        incident -> {
          if (incident.participantId() != null) {
            participants.hold(incident.participantId());
          }
          var person = reader.person(incident).orElse(null);
          if (how == IncidentOutcome.WITHDRAWN_UNDERAGE && mayBeCoached(person)) {
            throw ApiProblem.conflict(
                "outcome: the participant is not withdrawn. Withdraw them first, on their page.");
          }
          incidents.release(incident, how, note, actor.name());
          check(incident, person, text);
          audit(
              actor, AuditAction.INCIDENT_RELEASED, incident, incident.status().word(), how.word());
          if (text != null) {
            incidents.firstMessage(incident, write(actor, Objects.requireNonNull(person), text));
          }
        });
  }

  private static IncidentOutcome outcome(RiskKind about, @Nullable String word) {
    return IncidentOutcome.chosen(stripped(word), about)
        .orElseThrow(() ->
            ApiProblem.bad(
                "outcome: expected one of "
                    + IncidentOutcome.choices(about).stream()
                        .map(IncidentOutcome::word)
                        .collect(Collectors.joining(", "))
                    + "."));
  }

  /** Returns whether coaching could go on after a release. */
  private static boolean mayBeCoached(@Nullable Participant person) {
    return person != null
        && (person.status() == ParticipantStatus.ACTIVE
            || person.status() == ParticipantStatus.PAUSED);
  }

  private static void check(
      Incident incident, @Nullable Participant person, @Nullable String text) {
    var silence = IncidentReader.silence(person);
    if (text == null && incident.isCrisis() && silence.isEmpty()) {
      throw ApiProblem.bad(
          "message: missing; write the first message to the participant. It is sent when you"
              + " release the incident.");
    }
    if (text != null && silence.isPresent()) {
      throw ApiProblem.conflict(
          "message: it cannot be sent. " + silence.get() + " Release without a message.");
    }
  }

  /**
   * Sends the first message, after the release, so that it is an ordinary one for the coach;
   * returns its id.
   */
  private String write(Actor actor, Participant person, String text) {
    var message = takeover.write(person, text, actor.name(), OutboundKind.STAFF);
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), AuditAction.MESSAGE_WRITTEN)
            .to(person.id())
            .about(message)
            .changed(null, text.length() + " characters"));
    return message;
  }

  private Incident change(String id, Consumer<Incident> act) {
    try {
      return transactions.write(() -> {
        act.accept(reader.incident(id));
        return reader.incident(id);
      });
    } catch (IncidentRefused refused) {
      throw ApiProblem.conflict(String.valueOf(refused.getMessage()));
    }
  }

  private void audit(
      Actor actor, AuditAction action, Incident incident, @Nullable String before, String after) {
    var entry =
        AuditEntry.of(actor.name(), actor.role(), action)
            .about(incident.id())
            .changed(before, after);
    audit.record(incident.participantId() == null ? entry : entry.to(incident.participantId()));
  }

  private static String stripped(@Nullable String word) {
    return word == null ? "" : word.strip();
  }

  private static @Nullable String note(@Nullable String note) {
    return words("note", note, LONGEST_NOTE);
  }

  private static @Nullable String message(@Nullable String message) {
    return words("message", message, LONGEST_MESSAGE);
  }

  private static @Nullable String words(String field, @Nullable String said, int longest) {
    var words = said == null ? "" : PlainText.storable(said).replace("\r\n", "\n").strip();
    if (words.length() > longest) {
      throw ApiProblem.bad(field + ": too long; at most " + longest + " characters are accepted.");
    }
    return words.isEmpty() ? null : words;
  }
}
