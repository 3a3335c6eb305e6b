package org.habitline.staff.study;

import io.micronaut.core.annotation.Introspected;
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
import java.util.Map;
import org.habitline.conversation.configuration.ConfigurationChanges;
import org.habitline.conversation.configuration.ConfigurationVersions.Reason;
import org.habitline.conversation.configuration.ConfigurationVersions.Version;
import org.habitline.conversation.configuration.FileInForce;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;

/** Serves the versions of the configuration: what was in force from when to when. */
@Controller("/study/configurations")
@Secured("researcher")
@Tag(name = "Study")
final class ConfigurationsController {

  private final ConfigurationDesk desk;

  ConfigurationsController(ConfigurationDesk desk) {
    this.desk = desk;
  }

  @Get
  @Operation(
      operationId = "listConfigurations",
      summary = "Lists the configuration versions, newest first",
      description =
          "A version is in force from began_at until ended_at, in study time. A new one begins when a"
              + " node starts with another program, other files or other settings, and when a prompt"
              + " file is edited. Turns name theirs in configuration.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<Version>> list(
      @QueryValue @Nullable @Schema(example = "50") Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = desk.before(Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? page.getLast().number() : null);
  }

  /** A version with its settings and files. */
  @Introspected
  record ConfigurationView(
      long number,
      String sha256,
      @Schema(description = "The host name of the node that recorded it") String node,
      Instant beganAt,
      @Nullable Instant endedAt,
      Reason reason,
      @Schema(description = "The program's version") String program,
      @Schema(description = "Settings by name; of a secret, only whether it is set")
          Map<String, String> settings,
      List<FileInForce> files) {}

  @Get("/{number}")
  @Operation(
      operationId = "getConfiguration",
      summary = "Shows a configuration version with its settings and the hashes of its files")
  @ApiResponse(responseCode = "200", description = "The version")
  @ApiResponse(responseCode = "404", description = "There is no version with this number")
  Reply<ConfigurationView> one(@Schema(example = "1") long number) {
    var version = desk.version(number);
    var content = desk.content(version);
    return Reply.ok(
        new ConfigurationView(
            version.number(),
            version.sha256(),
            version.node(),
            version.beganAt(),
            version.endedAt(),
            version.reason(),
            content.program(),
            content.settings(),
            content.files()));
  }

  @Get("/{number}/changes")
  @Secured("staff")
  @Operation(
      operationId = "getConfigurationChanges",
      summary = "Shows what a configuration version changed",
      description =
          "Settings with their values, and files with a unified diff. The diff is absent if the text"
              + " of a file is not kept: of documents, and of very long files.")
  @ApiResponse(responseCode = "200", description = "The changes")
  @ApiResponse(responseCode = "400", description = "from is no number")
  @ApiResponse(responseCode = "404", description = "There is no version with this number")
  Reply<ConfigurationChanges> changes(
      @Schema(example = "1") long number,
      @QueryValue
          @Nullable
          @Schema(
              example = "1",
              description = "The version to compare with; the default is the one before")
          Long from) {
    return Reply.ok(desk.changes(desk.version(number), from));
  }

  @Get("/{number}/file")
  @Secured("staff")
  @Operation(
      operationId = "getConfigurationFile",
      summary = "Shows the text of a file of a configuration version")
  @ApiResponse(responseCode = "200", description = "The file with its text")
  @ApiResponse(responseCode = "400", description = "path is missing")
  @ApiResponse(
      responseCode = "404",
      description =
          "There is no version with this number, it has no file with this path, or the text is not"
              + " kept")
  Reply<ConfigurationDesk.ConfigurationFile> file(
      @Schema(example = "1") long number,
      @QueryValue @Schema(example = "config/study.yaml") String path) {
    return Reply.ok(desk.file(desk.version(number), path));
  }
}
