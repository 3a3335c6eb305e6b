package org.habitline.staff.today;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Lists what Today shows, and records who is on it. */
@Controller("/worklist")
@Secured("staff")
@Tag(name = "Worklist")
final class WorklistController {

  private static final int MOST = 100;

  private final Worklist worklist;
  private final OwnerDesk owners;

  WorklistController(Worklist worklist, OwnerDesk owners) {
    this.worklist = worklist;
    this.owners = owners;
  }

  /** A row of Today that needs staff. */
  @Introspected
  @Schema(name = "WorkRow")
  record WorkRow(
      @Schema(description = "The key of the row; it stays the same while the row is listed")
          String row,
      @Schema(description = "The list, for example waiting, failed or stuck") String list,
      String participantId,
      @Nullable @Schema(description = "The turn that it is about, if it is about one") Integer turn,
      @Schema(description = "When it began") Instant since,
      @Schema(description = "What happened, without words of the participant") String what,
      @Nullable @Schema(description = "Who is on it; absent if no one is") String owner,
      @Nullable @Schema(description = "Since when they are on it") Instant ownedSince) {}

  @Get
  @Operation(
      operationId = "listWork",
      summary = "Lists what Today shows, and who is on it",
      description =
          "At most 100 rows of each list, in the order of the page. Safety incidents are in GET"
              + " /incidents, and unmatched texts in GET /unclaimed; the key of an unmatched text's"
              + " row is unclaimed-{seq}. The parameter owner looks through the first 1,000 rows of"
              + " each list.")
  @ApiResponse(responseCode = "200", description = "The rows")
  @ApiResponse(responseCode = "400", description = "The list or the owner is unknown")
  Reply<List<WorkRow>> list(
      Authentication by,
      @QueryValue @Nullable @Schema(description = "One list; the default is all of them")
          String list,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"me", "none"},
              description = "Only your rows, or only those without an owner; the default is all")
          String owner) {
    var whose = TodayPage.Whose.of(owner);
    var wanted =
        TodayPage.WORK.stream().filter(it -> list == null || it.word().equals(list)).toList();
    if (wanted.isEmpty()) {
      throw ApiProblem.bad(
          "list: unknown; expected one of "
              + TodayPage.WORK.stream()
                  .map(TodayPage.Section::word)
                  .collect(Collectors.joining(", "))
              + ".");
    }
    return Reply.ok(
        wanted.stream()
            .flatMap(section -> worklist.rows(section, MOST, whose, by.getName()).stream())
            .map(WorklistController::row)
            .toList());
  }

  private static WorkRow row(Worklist.Row row) {
    var owner = row.owner();
    return new WorkRow(
        row.row(),
        row.section().word(),
        row.participantId(),
        row.turn(),
        row.since(),
        row.what(),
        owner == null ? null : owner.name(),
        owner == null ? null : owner.takenAt());
  }

  /** From whom a row is taken. */
  @Introspected
  @Schema(name = "RowTaking")
  record TakeRequest(
      @Nullable
          @Schema(
              maxLength = 200,
              description = "The colleague who is on the row, if you take it from them")
          String from) {}

  @Put("/{row}/owner")
  @Operation(
      operationId = "takeRow",
      summary = "Takes a row of Today",
      description = "You own the row until it is resolved. If you own it already, nothing changes.")
  @ApiResponse(responseCode = "200", description = "The row is yours")
  @ApiResponse(responseCode = "400", description = "The body is not a JSON object")
  @ApiResponse(responseCode = "404", description = "No list has such a row any more")
  @ApiResponse(
      responseCode = "409",
      description = "The owner of the row is not the colleague named in from")
  Reply<Map<String, String>> take(Authentication by, String row, @Body TakeRequest request) {
    owners.take(Actor.of(by), row, request.from());
    return Reply.ok("Row taken", Map.of("owner", by.getName()));
  }

  @Delete("/{row}/owner")
  @Operation(operationId = "giveRowBack", summary = "Gives a row of Today back")
  @ApiResponse(responseCode = "200", description = "The row has no owner")
  @ApiResponse(responseCode = "404", description = "No list has such a row any more")
  @ApiResponse(responseCode = "409", description = "You do not own the row")
  Reply<Map<String, String>> giveBack(Authentication by, String row) {
    owners.giveBack(Actor.of(by), row);
    return Reply.ok("Row given back", Map.of("row", row));
  }
}
