package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.time.Instant;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;
import org.habitline.timers.DailyTime;
import org.habitline.timers.Schedule;
import org.jspecify.annotations.Nullable;

/** Lets staff change a participant's daily prompts. */
@Controller("/conversation/participants/{id}/schedules")
@Secured("staff")
@Tag(name = "Participants")
@ApiResponse(responseCode = "404", description = "There is no such participant or schedule")
@ApiResponse(
    responseCode = "409",
    description =
        "The change conflicts with what is stored now, or the coach is writing to the participant;"
            + " then Retry-After says when to try again")
final class SchedulesController {

  private final ScheduleDesk desk;

  SchedulesController(ScheduleDesk desk) {
    this.desk = desk;
  }

  /** The time of a daily prompt: one time, or a window in which each day has its own time. */
  @Introspected
  @Schema(name = "ScheduleChange")
  record ScheduleRequest(
      @Nullable
          @Schema(
              example = "8:15",
              description = "Local time on the 24-hour clock; leave it out for a window")
          String time,
      @Nullable @Schema(example = "8:00") String windowStart,
      @Nullable @Schema(example = "9:00", description = "After the start, on the same day")
          String windowEnd,
      @Nullable @Schema(maxLength = 1000) String reason) {

    ScheduleDesk.WantedTime wanted() {
      return new ScheduleDesk.WantedTime(time, windowStart, windowEnd);
    }
  }

  /**
   * One daily prompt of a participant.
   *
   * @param time local time, absent if each day has its own in a window
   */
  @Introspected
  @Schema(name = "DailyPromptSchedule")
  record ScheduleView(
      String id,
      int slot,
      @Nullable String time,
      @Nullable String windowStart,
      @Nullable String windowEnd,
      Instant createdAt) {

    static ScheduleView of(Schedule schedule) {
      return switch (schedule.time()) {
        case DailyTime.Fixed(var at) ->
            new ScheduleView(
                schedule.id(), schedule.slot(), at.toString(), null, null, schedule.createdAt());
        case DailyTime.Random(var start, var end) ->
            new ScheduleView(
                schedule.id(),
                schedule.slot(),
                null,
                start.toString(),
                end.toString(),
                schedule.createdAt());
      };
    }
  }

  /** Why a daily prompt is changed. */
  @Introspected
  @Schema(name = "ScheduleReason")
  record ReasonRequest(@Nullable @Schema(maxLength = 1000) String reason) {}

  @Post
  @Operation(operationId = "addSchedule", summary = "Adds a daily prompt")
  @ApiResponse(responseCode = "201", description = "The schedule", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "The time is invalid")
  HttpResponse<Reply<ScheduleView>> add(
      Authentication by, String id, @Body ScheduleRequest request) {
    var added = desk.add(Actor.of(by), id, request.wanted(), request.reason());
    return HttpResponse.created(
        Reply.ok(ScheduleView.of(added)),
        URI.create("/conversation/participants/" + id + "/schedules"));
  }

  @Put("/{scheduleId}")
  @Operation(
      operationId = "changeSchedule",
      summary = "Changes the time of a daily prompt",
      description = "The changed schedule has an id of its own and replaces the one before.")
  @ApiResponse(responseCode = "200", description = "The schedule that replaces the one before")
  @ApiResponse(responseCode = "400", description = "The time is invalid")
  Reply<ScheduleView> change(
      Authentication by, String id, String scheduleId, @Body ScheduleRequest request) {
    return Reply.ok(
        ScheduleView.of(
            desk.change(Actor.of(by), id, scheduleId, request.wanted(), request.reason())));
  }

  @Delete("/{scheduleId}")
  @Operation(operationId = "endSchedule", summary = "Ends a daily prompt")
  @ApiResponse(responseCode = "200", description = "The schedule that was ended")
  @ApiResponse(responseCode = "400", description = "The reason is too long")
  Reply<ScheduleView> end(
      Authentication by, String id, String scheduleId, @QueryValue @Nullable String reason) {
    return Reply.ok(ScheduleView.of(desk.end(Actor.of(by), id, scheduleId, reason)));
  }

  @Put("/{scheduleId}/skips/{date}")
  @Operation(
      operationId = "skipDay",
      summary = "Skips the prompt of one local date",
      description = "Up to a year ahead. The prompt of the date then has the status skipped.")
  @ApiResponse(responseCode = "200", description = "The schedule, which skips this date")
  @ApiResponse(responseCode = "400", description = "The date or the reason is invalid")
  Reply<ScheduleView> skip(
      Authentication by,
      String id,
      String scheduleId,
      String date,
      @Body @Nullable ReasonRequest request) {
    return Reply.ok(
        ScheduleView.of(desk.skip(Actor.of(by), id, scheduleId, date, reason(request))));
  }

  @Delete("/{scheduleId}/skips/{date}")
  @Operation(operationId = "unskipDay", summary = "Undoes the skip of a local date")
  @ApiResponse(responseCode = "200", description = "The schedule, which does not skip this date")
  @ApiResponse(responseCode = "400", description = "The date or the reason is invalid")
  Reply<ScheduleView> unskip(
      Authentication by,
      String id,
      String scheduleId,
      String date,
      @QueryValue @Nullable String reason) {
    return Reply.ok(ScheduleView.of(desk.unskip(Actor.of(by), id, scheduleId, date, reason)));
  }

  @Post("/{scheduleId}/send")
  @Operation(
      operationId = "sendPromptNow",
      summary = "Sends today's prompt now",
      description =
          "Even if it was skipped or missed today. Each schedule sends at most one prompt on a"
              + " local date.")
  @ApiResponse(
      responseCode = "202",
      description = "The prompt is being written; result is its schedule",
      useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "The reason is too long")
  HttpResponse<Reply<ScheduleView>> send(
      Authentication by, String id, String scheduleId, @Body @Nullable ReasonRequest request) {
    var schedule = desk.sendNow(Actor.of(by), id, scheduleId, reason(request));
    return HttpResponse.<Reply<ScheduleView>>accepted()
        .body(Reply.ok("The prompt is being written", ScheduleView.of(schedule)));
  }

  private static @Nullable String reason(@Nullable ReasonRequest request) {
    return request == null ? null : request.reason();
  }
}
