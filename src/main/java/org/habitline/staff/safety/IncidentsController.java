package org.habitline.staff.safety;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.habitline.participants.Participant;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.alerts.AlertChannel;
import org.habitline.safety.alerts.AlertFault;
import org.habitline.safety.alerts.AlertStatus;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Lists safety incidents, shows them, and records what staff do about them. */
@Controller("/incidents")
@Secured("safety")
@Tag(name = "Safety")
final class IncidentsController {

  private final IncidentReader reader;
  private final IncidentDesk desk;
  private final IdempotentAnswers answers;

  IncidentsController(IncidentReader reader, IncidentDesk desk, IdempotentAnswers answers) {
    this.reader = reader;
    this.desk = desk;
    this.answers = answers;
  }

  /**
   * An incident, without words of the participant. Times are study time.
   *
   * @param participantId absent if the sender has no number that could be texted, and once the
   *     participant was erased
   * @param urgent whether staff are alerted of it although it is no crisis
   * @param texts how many texts belong to it
   * @param answeredAt when a fixed text was last planned
   * @param newTextAt when the newest text came, if that was after the acknowledgement
   */
  @Introspected
  @Schema(name = "Incident")
  record IncidentView(
      String id,
      @Schema(
              type = "string",
              allowableValues = {"concern", "crisis"})
          String level,
      @Schema(
              type = "string",
              allowableValues = {
                "overdose_or_medical",
                "suicide_or_self_harm",
                "abuse",
                "threat_to_others",
                "danger",
                "adverse_event",
                "medication_stopped",
                "wants_a_person",
                "other",
                "underage"
              })
          String kind,
      boolean urgent,
      IncidentStatus status,
      @Nullable String participantId,
      Instant openedAt,
      Instant lastTextAt,
      int texts,
      @Nullable Instant answeredAt,
      @Nullable Instant acknowledgedAt,
      @Nullable String acknowledgedBy,
      @Nullable Instant newTextAt,
      @Nullable Instant releasedAt,
      @Nullable String releasedBy,
      @Nullable IncidentOutcome outcome) {

    static IncidentView of(Incident incident) {
      return new IncidentView(
          incident.id(),
          incident.level().word(),
          incident.kind().word(),
          incident.urgent(),
          incident.status(),
          incident.participantId(),
          incident.openedAt(),
          incident.lastTextAt(),
          incident.texts(),
          incident.answeredAt(),
          incident.acknowledgedAt(),
          incident.acknowledgedBy(),
          incident.newTextAt().orElse(null),
          incident.releasedAt(),
          incident.releasedBy(),
          incident.outcome());
    }
  }

  /**
   * Who is in an incident.
   *
   * @param enrolled whether they are a participant; otherwise only their number is known
   * @param localTime the time on their clock now, with its offset
   */
  @Introspected
  @Schema(name = "IncidentPerson")
  record PersonView(
      String id,
      boolean enrolled,
      String phoneNumber,
      @Nullable String name,
      String timezone,
      boolean timezoneAssumed,
      @Schema(format = "date-time") String localTime,
      String status,
      boolean optedOut) {

    static PersonView of(Participant person, Instant now) {
      return new PersonView(
          person.id(),
          !person.contact(),
          person.phone().e164(),
          person.name(),
          person.zone().getId(),
          person.zoneAssumed(),
          DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
              now.truncatedTo(ChronoUnit.SECONDS).atZone(person.zone())),
          person.status().word(),
          person.optedOut());
    }
  }

  /**
   * A text of the participant, or a message to them.
   *
   * @param id the id in the transcript; only of messages to them
   * @param authorName the staff member who wrote it
   * @param delivery how far a message to them came: failed, cancelled, sent, delivered or read
   * @param deliveryAt when it came that far
   * @param deliveryReason why it was not delivered
   */
  @Introspected
  @Schema(name = "IncidentMessage")
  record MessageView(
      @Nullable String id,
      @Schema(
              type = "string",
              allowableValues = {"participant", "bot", "staff"})
          String author,
      @Nullable String authorName,
      String content,
      Instant at,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"failed", "cancelled", "sent", "delivered", "read"})
          String delivery,
      @Nullable Instant deliveryAt,
      @Nullable String deliveryReason) {

    static MessageView of(IncidentReader.Line line) {
      var delivery = line.delivery();
      return new MessageView(
          line.messageId(),
          line.author().word(),
          line.authorName(),
          line.text(),
          line.at(),
          delivery == null ? null : delivery.status().word(),
          delivery == null ? null : delivery.at(),
          delivery == null ? null : delivery.reason());
    }
  }

  /**
   * What happened, at a moment of study time.
   *
   * @param madeBy the staff member; absent if Habitline did it
   * @param rule the rule that found a text
   * @param messageId the fixed text that was planned
   */
  @Introspected
  @Schema(name = "IncidentEntry")
  record EntryView(
      EntryKind kind,
      Instant at,
      @Nullable String madeBy,
      @Nullable String rule,
      @Nullable String messageId,
      @Nullable String note) {

    static EntryView of(IncidentEntry entry) {
      return new EntryView(
          entry.kind(), entry.at(), entry.madeBy(), entry.rule(), entry.messageId(), entry.note());
    }
  }

  /**
   * An alert to staff. Times are system time.
   *
   * @param round how often somebody was alerted of the incident before
   * @param recipient the name on the rota
   * @param attempts how often it was tried
   * @param triedAt when it was last tried
   * @param sentAt when its server took it
   * @param fault why the last attempt failed, if it did
   * @param httpStatus what a webhook's server answered to the last attempt, if that failed
   */
  @Introspected
  @Schema(name = "IncidentAlert")
  record AlertView(
      int round,
      AlertChannel channel,
      String recipient,
      AlertStatus status,
      int attempts,
      Instant plannedAt,
      @Nullable Instant triedAt,
      @Nullable Instant sentAt,
      @Nullable AlertFault fault,
      @Nullable Integer httpStatus) {

    static AlertView of(Alert alert) {
      return new AlertView(
          alert.round(),
          alert.channel(),
          alert.recipient(),
          alert.status(),
          alert.attempts(),
          alert.plannedAt(),
          alert.triedAt(),
          alert.sentAt(),
          alert.fault(),
          alert.httpStatus());
    }
  }

  /**
   * Everything about an incident.
   *
   * @param person absent if they were erased, or if the sender has no number
   * @param messageImpossible why no message can be sent to them now; absent if one can be sent
   * @param messages what they wrote and what was sent to them, oldest first
   * @param entries what happened, oldest first
   * @param alerts whom it alerted, oldest first
   */
  @Introspected
  @Schema(name = "IncidentReport")
  record ReportView(
      IncidentView incident,
      String rule,
      String rulesVersion,
      @Nullable PersonView person,
      @Nullable String messageImpossible,
      List<MessageView> messages,
      List<EntryView> entries,
      List<AlertView> alerts) {

    static ReportView of(IncidentReader.Report report) {
      var person = report.person();
      return new ReportView(
          IncidentView.of(report.incident()),
          report.incident().rule(),
          report.incident().rulesVersion(),
          person == null ? null : PersonView.of(person, report.now()),
          report.silence().orElse(null),
          report.lines().stream().map(MessageView::of).toList(),
          report.entries().stream().map(EntryView::of).toList(),
          report.alerts().stream().map(AlertView::of).toList());
    }
  }

  @Get
  @Operation(
      operationId = "listIncidents",
      summary = "Lists safety incidents",
      description =
          "Without status, or with unreleased: open and acknowledged ones, crises first, then the"
              + " longest open. With released: the newest first. A list has at most 500. It holds"
              + " no words of participants.")
  @ApiResponse(responseCode = "200", description = "The incidents")
  @ApiResponse(responseCode = "400", description = "The status is unknown")
  Reply<List<IncidentView>> list(
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"open", "acknowledged", "released", "unreleased"})
          String status) {
    return Reply.ok(reader.list(status).stream().map(IncidentView::of).toList());
  }

  @Get("/{id}")
  @Operation(
      operationId = "getIncident",
      summary = "Shows an incident: who, what they wrote, what was sent, and what staff did",
      description = "The audit log records the read.")
  @ApiResponse(responseCode = "200", description = "The incident")
  @ApiResponse(responseCode = "404", description = "No incident has this id")
  Reply<ReportView> incident(Authentication by, String id) {
    return Reply.ok(ReportView.of(reader.report(by, id)));
  }

  @Post("/{id}/acknowledge")
  @Operation(
      operationId = "acknowledgeIncident",
      summary = "Records that you look after an incident",
      description =
          "Acknowledge it again when new_text_at says that a text came after the acknowledgement.")
  @ApiResponse(responseCode = "200", description = "The incident is acknowledged")
  @ApiResponse(responseCode = "404", description = "No incident has this id")
  @ApiResponse(
      responseCode = "409",
      description = "Someone has acknowledged it already, and no text came since")
  Reply<IncidentView> acknowledge(Authentication by, String id) {
    return Reply.ok("Incident acknowledged", IncidentView.of(desk.acknowledge(Actor.of(by), id)));
  }

  /** What you did about an incident. */
  @Introspected
  @Schema(name = "NewIncidentEntry")
  record EntryRequest(
      @Nullable
          @Schema(
              type = "string",
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              allowableValues = {"attempt", "contact", "decision"},
              description =
                  "attempt: you tried to reach the participant and did not; contact: you were in"
                      + " contact with them; decision: a clinician decided")
          String kind,
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              maxLength = IncidentDesk.LONGEST_NOTE)
          String note) {}

  @Post("/{id}/entries")
  @Operation(
      operationId = "addIncidentEntry",
      summary = "Adds an attempt, a contact or a clinical decision to an incident",
      description =
          "A crisis can be released after a contact or a decision. With an Idempotency-Key, a"
              + " repeated request adds the entry once.")
  @ApiResponse(
      responseCode = "201",
      description = "The entry was added",
      useReturnTypeSchema = true)
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(responseCode = "404", description = "No incident has this id")
  @ApiResponse(responseCode = "409", description = "The incident is released")
  @ApiResponse(
      responseCode = "410",
      description =
          "The participant of the first request with this Idempotency-Key has been erased")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  @SuppressWarnings("unchecked") // a repeated answer is the same JSON, written before
  HttpResponse<Reply<EntryView>> add(
      Authentication by,
      String id,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body EntryRequest request) {
    return (HttpResponse<Reply<EntryView>>)
        answers.created(
            by,
            idempotencyKey,
            List.of("incident entry", id, request),
            whose -> "/incidents/" + id,
            () -> {
              var entry = desk.add(Actor.of(by), id, request.kind(), request.note());
              return new IdempotentAnswers.Made(
                  Objects.requireNonNullElse(reader.incident(id).participantId(), id),
                  Reply.ok("Entry added", EntryView.of(entry)));
            });
  }

  /** How an incident ends, and the first message to the participant. */
  @Introspected
  @Schema(name = "IncidentRelease")
  record ReleaseRequest(
      @Nullable
          @Schema(
              type = "string",
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              allowableValues = {
                "no_concern_found",
                "referred",
                "emergency_services",
                "not_reached",
                "age_confirmed",
                "withdrawn_underage",
                "guardian_contacted",
                "study_team_contacted"
              },
              description =
                  "not_reached and those after it are for incidents of the kind underage; the others,"
                      + " with not_reached, for all other kinds. withdrawn_underage needs a participant"
                      + " who is withdrawn already")
          String outcome,
      @Nullable @Schema(maxLength = IncidentDesk.LONGEST_NOTE) String note,
      @Nullable
          @Schema(
              maxLength = IncidentDesk.LONGEST_MESSAGE,
              description =
                  "The first message, written by a person. Required for a crisis, unless"
                      + " message_impossible says why none can be sent")
          String message) {}

  @Post("/{id}/release")
  @Operation(
      operationId = "releaseIncident",
      summary = "Releases an incident; coaching resumes",
      description =
          "The first message is sent in the same step, by the channel of the participant's last"
              + " text. A crisis must be acknowledged, and must have a contact or a clinical"
              + " decision.")
  @ApiResponse(responseCode = "200", description = "The incident is released")
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid or missing; the message says what is accepted")
  @ApiResponse(responseCode = "404", description = "No incident has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "It cannot be released yet or is released already, or the message cannot be sent")
  Reply<IncidentView> release(Authentication by, String id, @Body ReleaseRequest request) {
    return Reply.ok(
        "Incident released",
        IncidentView.of(
            desk.release(
                Actor.of(by),
                id,
                new IncidentDesk.Release(request.outcome(), request.note(), request.message()))));
  }
}
