package org.habitline.ops.database;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.habitline.participants.Erasures;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;

/** Lists erasures and their progress. */
@Controller("/erasures")
@Secured("staff")
@Tag(name = "Participants")
final class ErasuresController {

  private final Erasures erasures;
  private final ErasedSpace space;

  ErasuresController(Erasures erasures, ErasedSpace space) {
    this.erasures = erasures;
    this.space = space;
  }

  /** An erasure as staff see it. */
  @Schema(name = "Erasure")
  record View(
      String participantId,
      @Schema(
              type = "string",
              description =
                  "waiting: the last message has not been sent yet. rewriting: no table contains"
                      + " anything about the participant, and the database's files are being cleaned. done:"
                      + " on H2, no file contains anything about the participant; on PostgreSQL, the server"
                      + " has vacuumed the rows, and its write-ahead log, archives, replicas and backups"
                      + " may still contain them",
              allowableValues = {"waiting", "rewriting", "done"})
          String status,
      @Schema(description = "How much of the H2 file has been cleaned, while status is rewriting")
          @Nullable
          Integer percent,
      @Schema(
              description =
                  "While status is rewriting on PostgreSQL: the transaction, prepared transaction or"
                      + " replication slot that may still read the deleted rows. The erasure waits for it")
          @Nullable
          String heldUpBy,
      Instant requestedAt,
      @Nullable Instant erasedAt,
      @Nullable Instant doneAt) {}

  @Get
  @Operation(
      operationId = "listErasures",
      summary = "Lists erasures and their progress, newest first",
      description =
          "Each entry contains only an id and times. With an H2 file of up to 1 GB, an"
              + " erasure is done within a minute of the last message to the participant. On"
              + " PostgreSQL, it is done after a vacuum that no older transaction, prepared"
              + " transaction or replication slot held up.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<View>> list(@QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = erasures.list(Paging.before(cursor), Paging.limit(limit));
    var next = page.next();
    return Reply.page(
        page.erasures().stream().map(this::view).toList(), next == null ? null : next.toString());
  }

  private View view(Erasures.Erasure erasure) {
    return new View(
        erasure.participantId(),
        erasure.status().word(),
        erasure.status() == Erasures.Status.REWRITING ? space.percent() : null,
        erasure.status() == Erasures.Status.REWRITING ? space.heldUpBy().orElse(null) : null,
        erasure.requestedAt(),
        erasure.erasedAt(),
        erasure.doneAt());
  }
}
