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
                  "waiting: the last text has not left; rewriting: no table has anything of them, and the database's"
                      + " files are being cleaned of deleted rows; done: the H2 file holds nothing of them; on"
                      + " PostgreSQL, the server has vacuumed their rows, and its write-ahead log, archives, replicas"
                      + " and backups may still hold them",
              allowableValues = {"waiting", "rewriting", "done"})
          String status,
      @Schema(description = "How much of the file was gone through, while it is rewritten")
          @Nullable
          Integer percent,
      @Schema(
              description =
                  "While it is rewritten on PostgreSQL: the transaction, prepared transaction or replication slot that"
                      + " may still read deleted rows, so that no vacuum removes them; it is waited for")
          @Nullable
          String heldUpBy,
      Instant requestedAt,
      @Nullable Instant erasedAt,
      @Nullable Instant doneAt) {}

  @Get
  @Operation(
      operationId = "listErasures",
      summary = "Lists erasures, newest first, and how far they are",
      description =
          "Each holds an id and times alone. On an H2 file of up to 1 GB an erasure is done within a minute of the"
              + " participant's last text. On PostgreSQL it is done after a vacuum that no older transaction,"
              + " prepared transaction or replication slot held up.")
  @ApiResponse(responseCode = "200", description = "A page; next_cursor is absent after the last")
  @ApiResponse(responseCode = "400", description = "A bad limit or cursor")
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
