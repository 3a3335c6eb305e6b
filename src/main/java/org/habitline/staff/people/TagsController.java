package org.habitline.staff.people;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Put;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;

/** Tags participants. */
@Controller("/conversation/participants/{id}/tags/{tag}")
@Secured("researcher")
@Tag(name = "Participants")
final class TagsController {

  private final TagDesk desk;

  TagsController(TagDesk desk) {
    this.desk = desk;
  }

  @Put
  @Operation(
      operationId = "addTag",
      summary = "Gives a participant a tag",
      description =
          "Tags are lower-case words by which the team groups participants. A participant has at"
              + " most 20 tags, and a study uses at most 200 different ones. A tag that the"
              + " participant has already changes nothing.")
  @ApiResponse(responseCode = "200", description = "All tags of the participant")
  @ApiResponse(
      responseCode = "400",
      description =
          "A tag has up to 40 letters, digits, spaces and . _ -, and begins with a letter or digit")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description = "The participant has 20 tags already, or the study 200")
  Reply<List<String>> add(Authentication by, String id, String tag) {
    return Reply.ok(desk.add(Actor.of(by), id, tag));
  }

  @Delete
  @Operation(
      operationId = "removeTag",
      summary = "Removes a tag from a participant",
      description = "A tag that the participant does not have changes nothing.")
  @ApiResponse(responseCode = "200", description = "The tags that the participant still has")
  @ApiResponse(
      responseCode = "400",
      description =
          "A tag has up to 40 letters, digits, spaces and . _ -, and begins with a letter or digit")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<List<String>> remove(Authentication by, String id, String tag) {
    return Reply.ok(desk.remove(Actor.of(by), id, tag));
  }
}
