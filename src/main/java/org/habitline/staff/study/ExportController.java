package org.habitline.staff.study;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.server.types.files.StreamedFile;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.study.Exports;

/**
 * Serves the export of everything stored about one person, for a person who asks for their own
 * data.
 */
@Controller("/conversation/participants")
@Secured("staff")
@Tag(name = "Participants")
final class ExportController {

  private static final String SAFETY = "safety";

  private final Participants participants;
  private final Exports exports;
  private final AuditLog audit;
  private final Transactions transactions;

  ExportController(
      Participants participants, Exports exports, AuditLog audit, Transactions transactions) {
    this.participants = participants;
    this.exports = exports;
    this.audit = audit;
    this.transactions = transactions;
  }

  @Get("/{id}/export")
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "exportParticipant",
      summary = "Downloads everything the database holds about a participant",
      description =
          "One JSON document with a section for each table: the participant, the phone number"
              + " and its opt-out, the state, the profile with its changes, the transcript, the"
              + " turns with their model calls, the deliveries with their status, schedules,"
              + " prompts, wake-ups, the inbox, and the entries of the audit log. Safety incidents"
              + " and the messages that belong to them are left out, unless include=safety asks"
              + " for them; that needs the role safety. The audit log records the export.")
  @ApiResponse(
      responseCode = "200",
      description = "The document, as a file",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/ParticipantExport")))
  @ApiResponse(responseCode = "400", description = "include is not safety")
  @ApiResponse(responseCode = "403", description = "include=safety without the role safety")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  StreamedFile export(
      Authentication by,
      String id,
      @Parameter(description = "safety: also safety incidents and their messages")
          @QueryValue
          @Nullable
          String include) {
    var actor = Actor.of(by);
    var withSafety = withSafety(by, include);
    // Committed before the export starts, so that the export contains this entry and no connection
    // is held meanwhile.
    var participant =
        transactions.write(() -> {
          var found =
              participants.findWithContacts(id).orElseThrow(() -> ApiProblem.noParticipant());
          audit.record(
              AuditEntry.of(
                      actor.name(),
                      actor.role(),
                      withSafety
                          ? AuditAction.PARTICIPANT_EXPORTED_WITH_SAFETY_INCIDENTS
                          : AuditAction.PARTICIPANT_EXPORTED)
                  .to(found.id()));
          return found.id();
        });
    var document = exports.open(participant, withSafety);
    return new StreamedFile(document, MediaType.APPLICATION_JSON_TYPE).attach(id + ".json");
  }

  private static boolean withSafety(Authentication by, @Nullable String include) {
    if (include == null) {
      return false;
    }
    if (!include.equals(SAFETY)) {
      throw ApiProblem.bad("include: unknown; expected safety, or leave it out.");
    }
    if (!Actor.seesIncidents(by)) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN,
          "include: safety incidents are exported only by someone with the role safety or admin.");
    }
    return true;
  }
}
