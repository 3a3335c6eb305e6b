package org.habitline.staff;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.messaging.Unclaimed;

/** Texts from senders whom nobody enrolled. */
@Controller("/unclaimed")
@Secured("staff")
@Tag(name = "Participants")
final class UnclaimedController {

  private final Unclaimed unclaimed;

  UnclaimedController(Unclaimed unclaimed) {
    this.unclaimed = unclaimed;
  }

  @Get
  @Operation(summary = "Lists texts from senders whom nobody enrolled, newest first")
  @ApiResponse(responseCode = "200", description = "A page; next_cursor is absent after the last")
  @ApiResponse(responseCode = "400", description = "A bad limit or cursor")
  Reply<List<Unclaimed.Text>> list(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = unclaimed.texts(Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? page.getLast().seq() : null);
  }
}
