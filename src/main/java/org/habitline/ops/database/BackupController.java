package org.habitline.ops.database;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.ops.access.Access;
import org.habitline.ops.access.KeyKind;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;

/** Endpoints that make and list backups of the database file. */
@Controller("/backup")
@Secured("admin")
@Tag(name = "Backup")
final class BackupController {

  private final Backups backups;

  BackupController(Backups backups) {
    this.backups = backups;
  }

  @Post
  @Operation(
      operationId = "createBackup",
      summary = "Makes a backup of the database file while the service runs",
      description =
          "Writes a zip file to the backups folder in the home folder. To restore it, unpack it"
              + " into the data folder of a home folder. On PostgreSQL, use pg_dump.")
  @ApiResponse(
      responseCode = "201",
      description = "The name and size of the backup",
      useReturnTypeSchema = true)
  @ApiResponse(
      responseCode = "409",
      description =
          "The data is in PostgreSQL, another backup is being made, a participant is being erased,"
              + " or the backups folder cannot be written")
  HttpResponse<Reply<Backups.Backup>> make(Authentication by) {
    return HttpResponse.created(
        Reply.ok("Backup made", backups.make(new Access.Who(by.getName(), KeyKind.ADMIN))));
  }

  @Get
  @Operation(operationId = "listBackups", summary = "Lists backups, newest first")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<Backups.Backup>> list(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var older = cursor == null ? "" : cursor.strip();
    if (!older.isEmpty() && !Backups.isName(older)) {
      throw Paging.badCursor();
    }
    var found =
        backups.list().stream()
            .filter(backup -> older.isEmpty() || backup.file().compareTo(older) < 0)
            .toList();
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? page.getLast().file() : null);
  }
}
