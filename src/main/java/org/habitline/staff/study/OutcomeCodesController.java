package org.habitline.staff.study;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.server.types.files.StreamedFile;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;
import org.habitline.study.coding.Agreements;

/** Exports coded outcomes and how far coders agree. */
@Controller("/study")
@Secured("staff")
@Tag(name = "Study")
final class OutcomeCodesController {

  private final CodingDesk desk;
  private final Agreements agreements;

  OutcomeCodesController(CodingDesk desk, Agreements agreements) {
    this.desk = desk;
    this.agreements = agreements;
  }

  @Get("/outcome-codes")
  @Produces(MediaType.TEXT_CSV)
  @Operation(
      operationId = "exportOutcomeCodes",
      summary = "Downloads the outcomes of all daily prompts, recorded and coded, as CSV",
      description =
          "A row for each daily prompt that was sent and each version of the coder, with the columns"
              + " participant_id, date (the participant's local date), number (of the prompt's"
              + " schedule), outcome_recorded (by the coach; empty if unknown), outcome_coded and"
              + " coder_version (empty before the prompt is coded), and staff_codes (code: name;"
              + " code: name). It holds no words of participants. The audit log records the export.")
  @ApiResponse(
      responseCode = "200",
      description = "The table, as a file",
      content = @Content(mediaType = MediaType.TEXT_CSV, schema = @Schema(type = "string")))
  StreamedFile codes(Authentication by) {
    return new StreamedFile(desk.export(Actor.of(by)), MediaType.TEXT_CSV_TYPE)
        .attach("outcome-codes.csv");
  }

  @Get("/outcome-agreement")
  @Secured({"deidentified", "viewer"})
  @Operation(
      operationId = "getOutcomeAgreement",
      summary = "Shows how far the coach's records, the coder and staff agree about outcomes",
      description =
          "For each pair: the number of prompts with a text, raw agreement, Cohen's kappa with a"
              + " 95 % interval, and the table of the four categories. docs/outcomes.md says how to"
              + " read them.")
  @ApiResponse(responseCode = "200", description = "The agreement")
  Reply<Agreements.All> agreement() {
    return Reply.ok(agreements.all());
  }
}
