package org.habitline.staff.study;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.server.types.files.SystemFile;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.habitline.study.exports.StudyExports;

/** Exports the whole study as a data package. */
@Controller("/study/exports")
@Secured("deidentified")
@Tag(name = "Study")
final class StudyExportsController {

  private static final String ADDRESS = "/study/exports/";

  private final StudyExportDesk desk;

  StudyExportsController(StudyExportDesk desk) {
    this.desk = desk;
  }

  /**
   * What to export.
   *
   * @param scope {@code deidentified} if not given
   */
  @Introspected
  @Schema(name = "StudyExportRequest")
  record Asked(
      @Schema(
              type = "string",
              allowableValues = {"deidentified", "texts", "identified"},
              description =
                  "deidentified if left out; texts needs the role researcher, and identified the"
                      + " role admin")
          @Nullable
          String scope,
      @Schema(description = "Guards texts that a spreadsheet program takes for formulas") @Nullable
          Boolean spreadsheet) {}

  /** The reply to an export that was started, for the OpenAPI document. */
  @Schema(name = "StudyExportStarted")
  record Started(String status, String message, StudyExports.Export result) {}

  @Post
  @Operation(
      operationId = "startStudyExport",
      summary = "Starts an export of the whole study",
      description =
          "Writes a Frictionless Data Package (v1): a zip with a CSV file for each table and"
              + " datapackage.json, which describes them. The export shows the database at one"
              + " moment and is written in the background; its address shows the progress. The"
              + " file is deleted after 7 days, and when a participant is erased. An export that"
              + " was interrupted is marked as failed; start a new one. The audit log records who"
              + " exported what.")
  @ApiResponse(
      responseCode = "202",
      description = "The export is being written; result is the export",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Started.class)))
  @ApiResponse(responseCode = "400", description = "The scope is unknown")
  @ApiResponse(responseCode = "403", description = "The key may not export this scope")
  @ApiResponse(responseCode = "409", description = "An export is being written already")
  HttpResponse<Reply<StudyExports.Export>> start(Authentication by, @Body @Nullable Asked asked) {
    var started =
        desk.start(
            by,
            asked == null ? null : asked.scope(),
            asked != null && Boolean.TRUE.equals(asked.spreadsheet()));
    return HttpResponse.<Reply<StudyExports.Export>>accepted()
        .header(HttpHeaders.LOCATION, ADDRESS + started.id())
        .body(Reply.ok("Export started; GET its address for the progress", started));
  }

  @Get
  @Operation(
      operationId = "listStudyExports",
      summary = "Lists exports of the study, newest first",
      description =
          "A key that is limited to de-identified data sees exports of the scope deidentified only,"
              + " without who asked for them.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<StudyExports.Export>> list(
      Authentication by, @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = desk.list(by, Paging.before(cursor), Paging.limit(limit));
    return Reply.page(page.exports(), page.next());
  }

  @Get("/{id}")
  @Operation(operationId = "getStudyExport", summary = "Shows how far an export of the study is")
  @ApiResponse(responseCode = "200", description = "The export, with tables and rows written")
  @ApiResponse(responseCode = "403", description = "The key may not see exports of this scope")
  @ApiResponse(responseCode = "404", description = "There is no export with this id")
  Reply<StudyExports.Export> one(Authentication by, String id) {
    return Reply.ok(desk.get(by, id));
  }

  @Get("/{id}/file")
  @Produces("application/zip")
  @Operation(
      operationId = "downloadStudyExport",
      summary = "Downloads an export of the study",
      description =
          "The zip file. A download that was interrupted resumes with the header Range. With"
              + " several nodes, ask the node that wrote the export.",
      parameters =
          @Parameter(
              name = "Range",
              in = ParameterIn.HEADER,
              description = "The part to download, such as bytes=1000-",
              schema = @Schema(type = "string")))
  @ApiResponse(
      responseCode = "200",
      description = "The file",
      content =
          @Content(
              mediaType = "application/zip",
              schema = @Schema(type = "string", format = "binary")))
  @ApiResponse(
      responseCode = "206",
      description = "The part of the file that Range names",
      content =
          @Content(
              mediaType = "application/zip",
              schema = @Schema(type = "string", format = "binary")))
  @ApiResponse(responseCode = "403", description = "The key may not download this scope")
  @ApiResponse(responseCode = "404", description = "There is no export with this id")
  @ApiResponse(responseCode = "409", description = "The export has no file, or not on this node")
  SystemFile file(Authentication by, String id) {
    return new SystemFile(desk.file(by, id).toFile(), new MediaType("application/zip"))
        .attach("habitline-study-" + id + ".zip");
  }
}
