package org.habitline.ops;

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
import org.habitline.staff.Paging;
import org.habitline.staff.Reply;

/** How far erasures are. */
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
                  "waiting for the last text; rewriting: no table has anything of them, and what the database's files"
                      + " keep of deleted rows is being removed; done: nothing is left",
              allowableValues = {"waiting", "rewriting", "done"})
          String status,
      @Schema(description = "How much of the file was gone through, while it is rewritten")
          @Nullable
          Integer percent,
      Instant requestedAt,
      @Nullable Instant erasedAt,
      @Nullable Instant doneAt) {}

  @Get
  @Operation(
      operationId = "listErasures",
      summary = "Lists erasures, newest first, and how far they are",
      description =
          "Each holds an id and times alone. On an H2 file of up to 1 GB an erasure is done within a minute of the"
              + " participant's last text.")
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
        erasure.requestedAt(),
        erasure.erasedAt(),
        erasure.doneAt());
  }
}
