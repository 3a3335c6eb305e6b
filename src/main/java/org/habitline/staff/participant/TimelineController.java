package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Tells what happened to a participant. */
@Controller("/conversation/participants/{id}/timeline")
@Secured("viewer")
@Tag(name = "Conversations")
final class TimelineController {

  private final Timeline timeline;
  private final EnrolmentDesk desk;

  TimelineController(Timeline timeline, EnrolmentDesk desk) {
    this.timeline = timeline;
    this.desk = desk;
  }

  /**
   * Something that happened to a participant.
   *
   * @param at study time
   * @param sentence what happened, in English
   * @param by the staff member or key, absent if none did it
   * @param turn the turn that did it, absent if none did
   * @param page the page of this service with the details, absent if there is none
   */
  @Introspected
  @Schema(name = "TimelineEntry")
  record EntryView(
      TimelineKind kind,
      Instant at,
      String sentence,
      @Nullable String by,
      @Nullable Integer turn,
      @Nullable String page) {

    static EntryView of(Timeline.Entry entry) {
      return new EntryView(
          entry.kind(), entry.at(), entry.sentence(), entry.by(), entry.turn(), entry.page());
    }
  }

  @Get
  @Operation(
      operationId = "getTimeline",
      summary = "Lists everything that happened to a participant, newest first",
      description =
          "From the enrolment on: consent, opt-outs, moves, changes of the profile and the schedule,"
              + " daily prompts, failures, takeovers and what staff did. Entries of the kind incident"
              + " are only for the role safety, notes for researcher and higher roles.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of entries; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The kind, the limit or the cursor is invalid")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<List<EntryView>> timeline(
      Authentication by,
      String id,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {
                "enrolment",
                "consent",
                "opt_out",
                "settings",
                "module",
                "profile",
                "schedule",
                "prompt",
                "reminder",
                "failure",
                "takeover",
                "incident",
                "configuration",
                "note",
                "staff"
              },
              description = "Only entries of this kind")
          String kind,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var page = timeline.page(by, desk.participant(id), kind, cursor, Paging.limit(limit));
    return Reply.page(page.entries().stream().map(EntryView::of).toList(), page.next());
  }
}
