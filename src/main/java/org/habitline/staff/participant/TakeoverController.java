package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.DebugMode;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Lets staff take over a conversation and hand it back, and switch debug messages on and off. */
@Controller
@Secured("staff")
@Tag(name = "Takeover")
final class TakeoverController {

  private static final String ONE = "/conversation/participants/{id}";

  private final TakeoverDesk desk;
  private final OutcomeDesk outcomes;
  private final IdempotentAnswers answers;

  TakeoverController(TakeoverDesk desk, OutcomeDesk outcomes, IdempotentAnswers answers) {
    this.desk = desk;
    this.outcomes = outcomes;
    this.answers = answers;
  }

  /** A message from a staff member to a participant. */
  @Introspected
  @Schema(name = "StaffMessage")
  record MessageRequest(
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 10_000)
          String text,
      @Nullable
          @Schema(
              minimum = "1",
              maximum = "1440",
              description = "How long automatic replies pause; if absent, nothing changes")
          Integer muteMinutes) {}

  /**
   * The message that was written, and the takeover now in force, if any.
   *
   * @param mutedUntil study time
   */
  @Introspected
  @Schema(name = "StaffMessageWritten")
  record MessageView(String messageId, @Nullable Instant mutedUntil, @Nullable String mutedBy) {}

  @Post(ONE + "/messages")
  @Operation(
      operationId = "sendStaffMessage",
      summary = "Sends a message to a participant as staff",
      description =
          "The transcript contains the message with the author staff and the name of the key."
              + " The message is sent like any other, and models see it as written by the coach."
              + " With mute_minutes, automatic replies pause: the participant's texts are stored,"
              + " prompts and reminders that are due in this time are missed, and the coach replies"
              + " to the remaining texts when the time is over. With an Idempotency-Key, a repeated"
              + " request sends the message once.")
  @ApiResponse(
      responseCode = "201",
      description = "The message is planned; GET …/deliveries shows its status",
      useReturnTypeSchema = true)
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(responseCode = "409", description = "The participant opted out or is not active")
  @ApiResponse(
      responseCode = "410",
      description =
          "The participant of the first request with this Idempotency-Key has been erased")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  @SuppressWarnings("unchecked") // a repeated answer is the same JSON, written before
  HttpResponse<Reply<MessageView>> write(
      Authentication by,
      String id,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body MessageRequest request) {
    return (HttpResponse<Reply<MessageView>>)
        answers.created(
            by,
            idempotencyKey,
            List.of("message", id, request),
            it -> "/conversation/participants/" + it + "/history",
            () -> {
              var written = desk.write(Actor.of(by), id, request.text(), request.muteMinutes());
              return new IdempotentAnswers.Made(
                  id,
                  Reply.ok(
                      "Message written",
                      new MessageView(
                          written.messageId(),
                          written.mute().map(Takeover.Mute::until).orElse(null),
                          written.mute().map(Takeover.Mute::by).orElse(null))));
            });
  }

  /** For how long automatic replies pause, and why. */
  @Introspected
  @Schema(name = "MuteChange")
  record MuteRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              minimum = "0",
              maximum = "1440",
              description = "0 hands the conversation back")
          Integer minutes,
      @Nullable @Schema(maxLength = 1000) String reason) {}

  /**
   * The takeover in force, if any.
   *
   * @param mutedUntil study time, absent while automatic replies are on
   */
  @Introspected
  @Schema(name = "Mute")
  record MuteView(boolean muted, @Nullable Instant mutedUntil, @Nullable String mutedBy) {
    static MuteView of(Optional<Takeover.Mute> mute) {
      return new MuteView(
          mute.isPresent(),
          mute.map(Takeover.Mute::until).orElse(null),
          mute.map(Takeover.Mute::by).orElse(null));
    }
  }

  @Get(ONE + "/mute")
  @Operation(
      operationId = "getMute",
      summary = "Shows whether staff have taken over, who, and until when")
  @ApiResponse(responseCode = "200", description = "The takeover, if any")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<MuteView> muted(String id) {
    return Reply.ok(MuteView.of(desk.muted(id)));
  }

  @Put(ONE + "/mute")
  @Operation(
      operationId = "setMute",
      summary = "Pauses automatic replies for a while, or hands the conversation back",
      description =
          "Automatic replies resume when the time is over. The coach then replies to texts"
              + " that have no reply yet.")
  @ApiResponse(responseCode = "200", description = "The takeover now in force, if any")
  @ApiResponse(responseCode = "400", description = "minutes is invalid")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(responseCode = "409", description = "No one has taken over this conversation")
  Reply<MuteView> mute(Authentication by, String id, @Body MuteRequest request) {
    return Reply.ok(MuteView.of(desk.mute(Actor.of(by), id, request.minutes(), request.reason())));
  }

  /** The module that replies next, and the reason for the change. */
  @Introspected
  @Schema(name = "ForcedState")
  record StateRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              example = "FEEDBACK",
              description = "A module of the participant's flow")
          String state,
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 1000)
          String reason) {}

  @Put(ONE + "/state")
  @Operation(
      operationId = "forceState",
      summary = "Moves the participant to a module",
      description =
          "Takes effect with the next turn. A turn that is running does not undo it, and a"
              + " planned move is cancelled.")
  @ApiResponse(responseCode = "200", description = "The module that replies from now on")
  @ApiResponse(
      responseCode = "400",
      description = "The module does not exist in this flow, or the reason is missing")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(responseCode = "409", description = "The participant is already in this module")
  Reply<String> force(Authentication by, String id, @Body StateRequest request) {
    desk.force(Actor.of(by), id, request.state(), request.reason());
    return Reply.ok("Participant moved to the module", String.valueOf(request.state()).strip());
  }

  /** What came of the daily prompt of a date. */
  @Introspected
  @Schema(name = "OutcomeChange")
  record OutcomeRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              format = "date",
              example = "2026-11-21",
              description = "The local date of the prompt")
          String date,
      @Nullable
          @Schema(description = "The slot; if absent, the last prompt of the date that was sent")
          Integer slot,
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              type = "string",
              allowableValues = {"done", "partly", "not_done", "unknown"},
              description = "unknown removes the recorded outcome")
          String outcome,
      @Nullable @Schema(maxLength = 300) String note) {}

  @Put(ONE + "/outcome")
  @Operation(
      operationId = "setOutcome",
      summary = "Records what came of a daily prompt",
      description =
          "Use it to record what a participant told you, or to correct the outcome. Every change is"
              + " logged with the name of the key. It cancels a reminder or question about this"
              + " prompt that has not been sent yet.")
  @ApiResponse(responseCode = "200", description = "The prompt as it is now")
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description = "No prompt was sent on this date, or it has this outcome already")
  Reply<ConversationsController.OccurrenceView> outcome(
      Authentication by, String id, @Body OutcomeRequest request) {
    return Reply.ok(
        "Outcome recorded",
        ConversationsController.OccurrenceView.of(
            outcomes.record(
                Actor.of(by),
                id,
                request.date(),
                request.slot(),
                request.outcome(),
                request.note())));
  }

  /** Whether to switch debug messages on, and for how long. */
  @Introspected
  @Schema(name = "DebugChange")
  record DebugRequest(
      @Nullable @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false)
          Boolean enabled,
      @Nullable @Schema(minimum = "1", maximum = "1440", description = "60 if absent")
          Integer minutes,
      @Nullable @Schema(maxLength = 1000) String reason) {}

  /**
   * A period in which debug messages were sent, or still are.
   *
   * @param until when it ends, unless staff end it earlier
   * @param endedAt when staff ended it early, if they did
   */
  @Introspected
  @Schema(name = "DebugInterval")
  record IntervalView(
      Instant startedAt,
      Instant until,
      String startedBy,
      @Nullable String reason,
      @Nullable Instant endedAt,
      @Nullable String endedBy) {
    static IntervalView of(DebugMode.Interval interval) {
      return new IntervalView(
          interval.startedAt(),
          interval.until(),
          interval.startedBy(),
          interval.reason(),
          interval.endedAt(),
          interval.endedBy());
    }
  }

  /** Whether debug messages are on, and the period in force. */
  @Introspected
  @Schema(name = "Debug")
  record DebugView(boolean enabled, @Nullable IntervalView interval) {
    static DebugView of(Optional<DebugMode.Interval> interval) {
      return new DebugView(interval.isPresent(), interval.map(IntervalView::of).orElse(null));
    }
  }

  @Put(ONE + "/debug")
  @Operation(
      operationId = "setParticipantDebug",
      summary = "Switches debug messages on for one participant for a while, or off",
      description =
          "After each reply, the participant also gets a message that begins with 🐛 DEBUG:"
              + " and shows the module, the profile, the success counters and the tools. No one"
              + " else gets it, and models do not see it.")
  @ApiResponse(responseCode = "200", description = "Debug messages are as requested")
  @ApiResponse(
      responseCode = "400",
      description = "enabled is neither true nor false, or minutes is invalid")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(responseCode = "409", description = "Debug messages are off already")
  Reply<DebugView> debug(Authentication by, String id, @Body DebugRequest request) {
    return changed(by, id, request);
  }

  @Put("/debug")
  @Operation(
      operationId = "setDebug",
      summary = "Switches debug messages on for all participants for a while, or off",
      description =
          "Switching off does not end debug messages that are on for single participants.")
  @ApiResponse(responseCode = "200", description = "Debug messages are as requested")
  @ApiResponse(
      responseCode = "400",
      description = "enabled is neither true nor false, or minutes is invalid")
  @ApiResponse(responseCode = "409", description = "Debug messages are off already")
  Reply<DebugView> debugAll(Authentication by, @Body DebugRequest request) {
    return changed(by, null, request);
  }

  private Reply<DebugView> changed(Authentication by, @Nullable String id, DebugRequest request) {
    if (request.enabled() == null) {
      throw ApiProblem.bad("enabled: expected true to switch on or false to switch off.");
    }
    if (request.enabled()) {
      desk.debug(Actor.of(by), id, request.minutes(), request.reason());
    } else {
      desk.endDebug(Actor.of(by), id, request.reason());
    }
    return Reply.ok(DebugView.of(desk.debugging(id)));
  }

  @Get(ONE + "/debug")
  @Operation(
      operationId = "listParticipantDebugIntervals",
      summary = "Lists when debug messages were on for one participant, newest first")
  @ApiResponse(responseCode = "200", description = "A page of periods")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<List<IntervalView>> intervals(
      String id, @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    return page(id, limit, cursor);
  }

  @Get("/debug")
  @Operation(
      operationId = "listDebugIntervals",
      summary = "Lists when debug messages were on for all participants, newest first")
  @ApiResponse(responseCode = "200", description = "A page of periods")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<IntervalView>> intervalsOfAll(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    return page(null, limit, cursor);
  }

  private Reply<List<IntervalView>> page(
      @Nullable String id, @Nullable Integer limit, @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = desk.debugIntervals(id, Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(
        page.stream().map(IntervalView::of).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }
}
