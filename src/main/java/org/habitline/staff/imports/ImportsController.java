package org.habitline.staff.imports;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.Hashes;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Flag;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Enrols many participants from a list. */
@Controller("/conversation/participants/import")
@Secured("researcher")
@Tag(name = "Participants")
final class ImportsController {

  private static final String ADDRESS = "/conversation/participants/import";

  private final ImportDesk desk;
  private final ImportReader reader;
  private final IdempotentAnswers answers;

  ImportsController(ImportDesk desk, ImportReader reader, IdempotentAnswers answers) {
    this.desk = desk;
    this.reader = reader;
    this.answers = answers;
  }

  /** The reply to a dry run, for the OpenAPI document. */
  @Schema(name = "ImportPreviewed")
  record Previewed(String status, ImportDesk.Preview result) {}

  /** The reply to an import that was started, for the OpenAPI document. */
  @Schema(name = "ImportStarted")
  record Started(String status, String message, ImportReader.Import result) {}

  @Post
  @Consumes("text/csv")
  @Operation(
      operationId = "startImport",
      summary = "Imports participants from CSV",
      description =
          "CSV in UTF-8 with at most 10,000 rows. The first row names the columns with the"
              + " field names of an enrolment, and field.<name> for one of the study's own fields;"
              + " phone_number is required. With dry_run, nothing is"
              + " changed, and the answer shows the expected result of each row. Otherwise, the"
              + " file is stored and its rows are enrolled one by one in the background, also after"
              + " a restart. Rows are numbered as in a spreadsheet: the header is row 1. With an"
              + " Idempotency-Key, a repeated request is carried out once.")
  @ApiResponse(
      responseCode = "200",
      description =
          "A dry run: each row with its name and number, its status (would_enrol, duplicate or error), a message and"
              + " warnings",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Previewed.class)))
  @ApiResponse(
      responseCode = "202",
      description =
          "The file is stored and its rows are processed in the background; result is the"
              + " import, as GET …/import lists it",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Started.class)))
  @ApiResponse(responseCode = "400", description = "The file is invalid; the message says why")
  @ApiResponse(
      responseCode = "410",
      description =
          "The participant of the first request with this Idempotency-Key has been erased")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  HttpResponse<?> start(
      Authentication by,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @QueryValue("dry_run")
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"true", "false"})
          String dryRun,
      @Body byte @Nullable [] body) {
    var file = body == null ? new byte[0] : body;
    if (Flag.of("dry_run", dryRun)) {
      return HttpResponse.ok(Reply.ok(desk.preview(file)));
    }
    return answers.once(
        new IdempotentAnswers.Asked(by, idempotencyKey, "import " + Hashes.sha256(file)),
        HttpStatus.ACCEPTED,
        new IdempotentAnswers.Place(HttpHeaders.LOCATION, id -> ADDRESS + "/" + id),
        () -> {
          var started = desk.start(Actor.of(by), file);
          // The import's own id: the reply is about no single participant.
          return new IdempotentAnswers.Made(started.id(), reply(started));
        });
  }

  private static Reply<ImportReader.Import> reply(ImportReader.Import started) {
    return Reply.ok("Import started; GET its address for the progress", started);
  }

  @Get
  @Operation(operationId = "listImports", summary = "Lists imports, newest first")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<ImportReader.Import>> list(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = reader.list(Paging.before(cursor), Paging.limit(limit));
    return Reply.page(page.imports(), page.next());
  }

  /** An import with a page of its rows. */
  @Schema(name = "ImportProgress")
  record Progress(ImportReader.Import progress, List<ImportReader.Result> results) {}

  @Get("/{id}")
  @Operation(
      operationId = "getImport",
      summary = "Shows the progress of an import and the result of each row",
      description =
          "Phone numbers from the file are not kept. A row is identified by its number in the"
              + " file and the participant that it enrolled.")
  @ApiResponse(
      responseCode = "200",
      description =
          "The import, with a page of rows in the order of the file; next_cursor is absent on"
              + " the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  @ApiResponse(responseCode = "404", description = "No import has this id")
  Reply<Progress> get(
      String id, @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var after = cursor == null || cursor.isBlank() ? 0 : Paging.before(cursor);
    var most = Paging.limit(limit);
    var progress = reader.confirmed(id);
    var results = reader.results(id, after, most);
    return Reply.page(new Progress(progress, results.results()), results.next());
  }
}
