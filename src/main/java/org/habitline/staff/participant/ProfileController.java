package org.habitline.staff.participant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Put;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Lets staff change a participant's profile. */
@Controller("/conversation/participants/{id}/profile")
@Secured("staff")
@Tag(name = "Participants")
final class ProfileController {

  private final ProfileDesk desk;

  ProfileController(ProfileDesk desk) {
    this.desk = desk;
  }

  /** Fields of the profile to change, and why. */
  @Introspected
  @Schema(name = "ProfileUpdate")
  record ProfileRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              type = "object",
              additionalProperties = Schema.AdditionalPropertiesValue.TRUE,
              example =
                  "{\"prompt_anchor\": \"after lunch\", \"confidence\": 7, \"last_barrier\": null}",
              description =
                  "Values by field, each in the type that the flow gives the field. A field that is"
                      + " left out stays as it is, and null empties one. A text for a list of dated"
                      + " entries adds an entry; a list of objects with date and text replaces them")
          Map<String, @Nullable JsonNode> fields,
      @Nullable @Schema(maxLength = 1000, description = "Recorded in the audit log")
          String reason) {}

  /**
   * What was changed.
   *
   * @param changed the fields that have another value now
   * @param notes what the flow's rules made of other fields
   */
  @Introspected
  @Schema(name = "ProfileUpdated")
  record ProfileResult(List<String> changed, List<String> notes) {}

  @Put
  @Operation(
      operationId = "changeProfile",
      summary = "Changes fields of the profile",
      description =
          "A value must be one that the coach could save. All fields are changed or none. The coach"
              + " is shown the new values from its next message on. GET …/profile lists each change"
              + " with the value before.")
  @ApiResponse(responseCode = "200", description = "The fields that were changed")
  @ApiResponse(
      responseCode = "400",
      description =
          "A field is unknown or a value is not accepted; the message says what is expected")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "The flow no longer exists, or the coach is writing to the participant; then Retry-After"
              + " says when to try again")
  Reply<ProfileResult> change(Authentication by, String id, @Body ProfileRequest request) {
    var fields = request.fields();
    if (fields == null) {
      throw ApiProblem.bad("fields: missing; expected the fields to change.");
    }
    var values = new TreeMap<String, JsonNode>();
    fields.forEach((name, value) ->
        values.put(name, Objects.requireNonNullElse(value, NullNode.getInstance())));
    return switch (desk.change(
        Actor.of(by), id, new ProfileDesk.Wanted(values, Map.of(), request.reason()))) {
      case ProfileDesk.Outcome.Saved(var changed, var notes) ->
          Reply.ok(new ProfileResult(changed, notes));
      case ProfileDesk.Outcome.Refused(var problems) ->
          throw ApiProblem.bad(
              problems.stream().map(ApiProblem::sentence).collect(Collectors.joining(" ")));
    };
  }
}
