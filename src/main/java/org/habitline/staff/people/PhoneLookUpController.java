package org.habitline.staff.people;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;

/** Finds a participant by phone number. */
@Controller("/participants/by-phone")
@Secured("staff")
@Tag(name = "Participants")
final class PhoneLookUpController {

  private final EnrolmentDesk desk;
  private final ParticipantViews views;
  private final ReadLog reads;

  PhoneLookUpController(EnrolmentDesk desk, ParticipantViews views, ReadLog reads) {
    this.desk = desk;
    this.views = views;
    this.reads = reads;
  }

  // A regular expression, because a plain path variable excludes the plus sign, and some people
  // write numbers with a slash.
  @Get("/{phone:.+}")
  @Operation(
      operationId = "findParticipantByPhone",
      summary = "Finds the participant with a phone number",
      description =
          "The number is accepted in the same forms as at enrolment. The audit log records"
              + " the request, without the number.")
  @ApiResponse(responseCode = "200", description = "The participant")
  @ApiResponse(responseCode = "400", description = "This is not a phone number")
  @ApiResponse(responseCode = "404", description = "No participant has this number")
  Reply<ParticipantView> find(
      Authentication by,
      @Parameter(description = "Such as +1234567890; the plus sign can be written as %2B")
          String phone) {
    // An unescaped plus sign in an address arrives as a blank, as in forms.
    var written = phone.startsWith(" ") ? "+" + phone.substring(1) : phone;
    try {
      var found = desk.byPhone(written);
      reads.numberLookedUp(by, found.id());
      return Reply.ok(views.of(found));
    } catch (ApiProblem problem) {
      reads.numberLookedUp(by);
      throw problem;
    }
  }
}
