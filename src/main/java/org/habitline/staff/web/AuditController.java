package org.habitline.staff.web;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;

/** Serves the audit log over the REST API. */
@Controller("/audit")
@Secured("admin")
@Tag(name = "Audit")
final class AuditController {

  private final AuditDesk desk;

  AuditController(AuditDesk desk) {
    this.desk = desk;
  }

  @Get
  @Operation(
      operationId = "listAuditEntries",
      summary = "Lists the entries of the audit log, newest first",
      description =
          "Each entry shows who did what and when, the old and new values, and the reason."
              + " Entries about erased participants are kept, without values and reasons.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<AuditDesk.Entry>> list(
      @QueryValue @Nullable @Parameter(description = "The id of a participant") String participant,
      @QueryValue @Nullable @Parameter(description = "The name of a key or session") String actor,
      @QueryValue @Nullable @Parameter(description = "The exact action, such as key created")
          String action,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var page =
        desk.entries(
            new AuditDesk.Wanted(participant, actor, action),
            Paging.before(cursor),
            Paging.limit(limit));
    return Reply.page(page.entries(), page.next());
  }
}
