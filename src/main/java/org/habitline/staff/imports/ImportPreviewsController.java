package org.habitline.staff.imports;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Stores a list for a preview in which columns, cells and defaults are corrected before it is
 * carried out, as on the page.
 */
@Controller("/conversation/participants/import")
@Secured("researcher")
@Tag(name = "Participants")
final class ImportPreviewsController {

  private static final String ADDRESS = "/conversation/participants/import/";
  private static final String KNOWN_FIRST =
      "The columns of the list are not matched yet, or another request changed it at the same time";

  private final ImportDesk desk;
  private final ImportReader reader;

  ImportPreviewsController(ImportDesk desk, ImportReader reader) {
    this.desk = desk;
    this.reader = reader;
  }

  /**
   * A column of which you must say what it is.
   *
   * @param samples its first cells that are not blank
   * @param guess the column that its name suggests, or absent
   */
  @Schema(name = "ImportUnknownColumn")
  record UnknownColumn(String column, List<String> samples, @Nullable String guess) {

    private static UnknownColumn of(ImportDesk.Unknown unknown) {
      return new UnknownColumn(
          unknown.key(), unknown.samples(), unknown.guess().isEmpty() ? null : unknown.guess());
    }
  }

  /**
   * A cell to correct.
   *
   * @param column an accepted column, or + for cells beyond the first row's column names
   * @param problem why it is refused, or absent
   */
  @Schema(name = "ImportCell")
  record Cell(String column, String value, @Nullable String problem) {

    private static Cell of(ImportDesk.Cell cell) {
      return new Cell(
          cell.column(), cell.value(), cell.problem().isEmpty() ? null : cell.problem());
    }
  }

  /**
   * A row with a problem, or left out.
   *
   * @param row number as a spreadsheet shows it: the header is row 1
   * @param problem why it is refused, if that is about none of its cells, or absent
   */
  @Schema(name = "ImportRowToCorrect")
  record RowToCorrect(int row, boolean leftOut, @Nullable String problem, List<Cell> cells) {

    private static RowToCorrect of(ImportDesk.ToCorrect row) {
      return new RowToCorrect(
          row.row(),
          row.leftOut(),
          row.problem().isEmpty() ? null : row.problem(),
          row.cells().stream().map(Cell::of).toList());
    }
  }

  /**
   * A list that is not confirmed.
   *
   * @param progress its counts; status is unmapped until its columns are known, then previewed
   * @param unknownColumns the columns of which you must say what they are
   * @param columns what a column can be
   * @param defaults the values for blank cells, by column
   * @param toCorrect a page of the rows with a problem, or left out
   */
  @Schema(name = "ImportDraft")
  record Draft(
      ImportReader.Import progress,
      List<UnknownColumn> unknownColumns,
      List<String> columns,
      Map<String, String> defaults,
      List<RowToCorrect> toCorrect) {}

  @Post("/preview")
  @Consumes("text/csv")
  @Operation(
      operationId = "previewImport",
      summary = "Stores a list for a preview",
      description =
          "CSV as for POST …/import; columns may have any names. No one is enrolled before POST"
              + " …/confirm. The list is deleted two hours after its last change.")
  @ApiResponse(responseCode = "201", description = "The stored list", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "The file is invalid; the message says why")
  HttpResponse<Reply<Draft>> prepare(Authentication by, @Body byte @Nullable [] body) {
    var id = desk.prepare(Actor.of(by), body == null ? new byte[0] : body);
    return HttpResponse.created(draft(id, 0, Paging.limit(null)), URI.create(at(id)));
  }

  private static String at(String id) {
    return ADDRESS + id + "/preview";
  }

  private Reply<Draft> draft(String id, long after, int most) {
    var list = reader.draft(id);
    var corrections =
        list.status() == ImportStatus.PREVIEWED
            ? desk.toCorrect(id, after, most)
            : new ImportDesk.Corrections(List.of(), null);
    return Reply.page(
        new Draft(
            list,
            desk.unknown(id).stream().map(UnknownColumn::of).toList(),
            desk.columns(),
            desk.defaults(id),
            corrections.rows().stream().map(RowToCorrect::of).toList()),
        corrections.next());
  }

  @Get("/{id}/preview")
  @Operation(operationId = "getImportPreview", summary = "Returns a list that is not confirmed")
  @ApiResponse(
      responseCode = "200",
      description =
          "The list, with a page of the rows to correct; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  @ApiResponse(
      responseCode = "404",
      description = "There is no such list, or it was already confirmed")
  Reply<Draft> get(
      String id, @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var after = cursor == null || cursor.isBlank() ? 0 : Paging.before(cursor);
    return draft(id, after, Paging.limit(limit));
  }

  /** What the unknown columns of a list are. */
  @Introspected
  @Schema(name = "ImportColumns")
  record ColumnsRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              description =
                  "For each unknown column: one of columns, new to create a field of the study, or an empty string to leave the column out")
          Map<String, String> columns) {}

  @Put("/{id}/columns")
  @Operation(
      operationId = "mapImportColumns",
      summary = "Matches the unknown columns of a list",
      description = "Columns that are not named are left out. One must be phone_number.")
  @ApiResponse(responseCode = "200", description = "The list, whose rows are read now")
  @ApiResponse(
      responseCode = "400",
      description = "A column is unknown or named twice, or none is phone_number")
  @ApiResponse(
      responseCode = "404",
      description = "There is no such list, or it was already confirmed")
  @ApiResponse(
      responseCode = "409",
      description =
          "The columns are already matched, or another request changed the list at the same time")
  Reply<Draft> columns(Authentication by, String id, @Body ColumnsRequest request) {
    if (request.columns() == null) {
      throw ApiProblem.bad("columns: missing; expected an entry for each unknown column.");
    }
    var targets = filled(request.columns());
    reader.draft(id);
    var unknown = desk.unknown(id).stream().map(ImportDesk.Unknown::key).toList();
    if (!unknown.isEmpty() && !unknown.containsAll(targets.keySet())) {
      throw ApiProblem.bad("columns: names a column that is not among unknown_columns.");
    }
    desk.map(Actor.of(by), id, targets);
    return draft(id, 0, Paging.limit(null));
  }

  /** Default values for blank cells; a column that is absent has none. */
  @Introspected
  @Schema(name = "ImportDefaults")
  record DefaultsRequest(
      @Nullable String timezone,
      @Nullable String channel,
      @Nullable String flow,
      @Nullable String language) {

    private Map<String, String> given() {
      var given = new HashMap<String, String>();
      put(given, "timezone", timezone);
      put(given, "channel", channel);
      put(given, "flow", flow);
      put(given, "language", language);
      return given;
    }

    private static void put(Map<String, String> given, String column, @Nullable String value) {
      if (value != null) {
        given.put(column, value);
      }
    }
  }

  @Put("/{id}/defaults")
  @Operation(
      operationId = "setImportDefaults",
      summary = "Sets the defaults for blank cells of a list",
      description = "Replaces all defaults of the list.")
  @ApiResponse(responseCode = "200", description = "The list, whose rows are read again")
  @ApiResponse(responseCode = "400", description = "A value is not accepted")
  @ApiResponse(
      responseCode = "404",
      description = "There is no such list, or it was already confirmed")
  @ApiResponse(responseCode = "409", description = KNOWN_FIRST)
  Reply<Draft> defaults(String id, @Body DefaultsRequest request) {
    reader.draft(id);
    desk.setDefaults(id, request.given());
    return draft(id, 0, Paging.limit(null));
  }

  /** A correction of one row. */
  @Introspected
  @Schema(name = "ImportRowCorrection")
  record RowRequest(
      @Nullable @Schema(description = "New cells by column; a blank one removes the cell")
          Map<String, String> cells,
      @Nullable @Schema(description = "Whether the row is left out; if absent, that stays as it is")
          Boolean leftOut) {}

  @Put("/{id}/rows/{row}")
  @Operation(
      operationId = "correctImportRow",
      summary = "Corrects a row of a list, or leaves it out",
      description =
          "Cells that are not named stay as they are. A correction may settle other rows, such as"
              + " a repeated number, so all rows are read again.")
  @ApiResponse(responseCode = "200", description = "The list")
  @ApiResponse(responseCode = "400", description = "A column is unknown")
  @ApiResponse(
      responseCode = "404",
      description = "There is no such list that can be corrected, or it has no such row")
  @ApiResponse(responseCode = "409", description = KNOWN_FIRST)
  Reply<Draft> row(String id, int row, @Body RowRequest request) {
    reader.draft(id);
    desk.correctRow(
        id, row, request.cells() == null ? Map.of() : filled(request.cells()), request.leftOut());
    return draft(id, 0, Paging.limit(null));
  }

  /** Returns cells with an empty text where JSON has null. */
  private static Map<String, String> filled(Map<String, String> cells) {
    var filled = new LinkedHashMap<String, String>();
    cells.forEach((column, value) -> filled.put(column, value == null ? "" : value));
    return filled;
  }

  @Post("/{id}/confirm")
  @Operation(
      operationId = "confirmImport",
      summary = "Confirms a list: its people are enrolled",
      description =
          "Its rows are enrolled one by one in the background; GET …/import/{id} shows the progress."
              + " Rows with a problem are not enrolled. Asking again changes nothing.")
  @ApiResponse(
      responseCode = "202",
      description = "The import has started",
      useReturnTypeSchema = true)
  @ApiResponse(responseCode = "404", description = "There is no such list")
  @ApiResponse(responseCode = "409", description = "The columns of the list are not matched yet")
  HttpResponse<Reply<ImportReader.Import>> confirm(Authentication by, String id) {
    if (reader.get(id).status().isOpen()) {
      desk.confirm(Actor.of(by), id);
    }
    return HttpResponse.accepted(URI.create(ADDRESS + id))
        .body(Reply.ok("Import started; GET its address for the progress", reader.confirmed(id)));
  }

  @Delete("/{id}/preview")
  @Operation(operationId = "discardImport", summary = "Deletes a list that is not confirmed")
  @ApiResponse(responseCode = "200", description = "The list is deleted")
  @ApiResponse(
      responseCode = "404",
      description = "There is no such list, or it was already confirmed")
  Reply<Map<String, String>> discard(String id) {
    reader.draft(id);
    desk.discard(id);
    return Reply.ok("List deleted", Map.of("id", id));
  }
}
