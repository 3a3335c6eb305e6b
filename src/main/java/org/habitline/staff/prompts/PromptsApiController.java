package org.habitline.staff.prompts;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.habitline.conversation.requests.RequestedPrompts;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;
import org.habitline.timers.CalendarRule;

/** Serves the prompt API in the format of the Go original, so that its scripts work unchanged. */
@Controller
@Secured("staff")
@Tag(name = "Prompt API")
final class PromptsApiController {

  private static final String SENT = "Message sent successfully";
  private static final String SCHEDULED = "Scheduled successfully";

  /**
   * Names the receiver of a prompt, so that a contact who is not enrolled can be found and erased
   * too.
   */
  private static final IdempotentAnswers.Place RECEIVER =
      new IdempotentAnswers.Place("Habitline-Participant", UnaryOperator.identity());

  private final PromptDesk desk;
  private final TimerDesk timers;
  private final RequestedPrompts scripts;
  private final IdempotentAnswers answers;
  private final ReadLog reads;

  PromptsApiController(
      PromptDesk desk,
      TimerDesk timers,
      RequestedPrompts scripts,
      IdempotentAnswers answers,
      ReadLog reads) {
    this.reads = reads;
    this.desk = desk;
    this.timers = timers;
    this.scripts = scripts;
    this.answers = answers;
  }

  /** One option of a branch prompt. */
  @Introspected
  @Schema(name = "BranchOption")
  record OptionRequest(
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 100)
          String label,
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 1000)
          String body) {}

  // JSON nodes, because Jackson would read 9.5 and "9" as 9.
  /** When a prompt recurs; an absent field matches any value. */
  @Introspected
  @Schema(name = "PromptSchedule")
  record ScheduleRequest(
      @Nullable @Schema(type = "integer", minimum = "0", maximum = "59") JsonNode minute,
      @Nullable @Schema(type = "integer", minimum = "0", maximum = "23") JsonNode hour,
      @Nullable
          @Schema(
              type = "integer",
              minimum = "1",
              maximum = "31",
              description = "Day of the month; it must exist in the given month")
          JsonNode day,
      @Nullable @Schema(type = "integer", minimum = "1", maximum = "12") JsonNode month,
      @Nullable @Schema(type = "integer", minimum = "0", maximum = "6", description = "0 is Sunday")
          JsonNode weekday,
      @Nullable @Schema(description = "An IANA name; the default is UTC", example = "Europe/Berlin")
          String timezone) {

    PromptDesk.Times times() {
      return new PromptDesk.Times(
          number("minute", minute),
          number("hour", hour),
          number("day", day),
          number("month", month),
          number("weekday", weekday),
          timezone);
    }

    private static @Nullable Integer number(String field, @Nullable JsonNode said) {
      if (said == null || said.isNull()) {
        return null;
      }
      if (!said.isIntegralNumber() || !said.canConvertToInt()) {
        throw ApiProblem.bad("schedule." + field + ": expected a whole number.");
      }
      return said.intValue();
    }
  }

  /** A prompt to send. */
  @Introspected
  @Schema(name = "Prompt")
  record PromptRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              example = "+1234567890",
              description =
                  "With or without the plus sign and punctuation. A number in the national format of"
                      + " HABITLINE_DEFAULT_REGION is read as such, any other as country code and number")
          String to,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"static", "genai", "branch", "conversation", "custom"},
              description = "The default is static")
          String type,
      @Nullable
          @Schema(
              maxLength = 4096,
              description =
                  "The text of a static prompt, or the text before the options of a branch prompt")
          String body,
      @Nullable @Schema(maxLength = 20_000, description = "For genai") String systemPrompt,
      @Nullable
          @Schema(
              maxLength = 20_000,
              description =
                  "For genai: the user prompt. For conversation: what the coach brings up. For"
                      + " custom: notes of at most 1000 characters, optional")
          String userPrompt,
      @Nullable @Schema(description = "For branch: 2 to 10 options")
          List<@Nullable OptionRequest> branchOptions,
      @Nullable @Schema(description = "For POST /schedule; POST /send ignores it")
          ScheduleRequest schedule,
      @Nullable
          @Schema(
              description = "Ignored: scripts for the original API may send it",
              example = "initial")
          String state) {

    PromptReader.Said said() {
      return new PromptReader.Said(type, body, systemPrompt, userPrompt, options(branchOptions));
    }

    private static @Nullable List<PromptReader.@Nullable Option> options(
        @Nullable List<@Nullable OptionRequest> said) {
      if (said == null) {
        return null;
      }
      var options = new ArrayList<PromptReader.@Nullable Option>();
      for (var option : said) {
        options.add(option == null ? null : new PromptReader.Option(option.label(), option.body()));
      }
      return options;
    }
  }

  @Post("/send")
  @Operation(
      operationId = "sendPrompt",
      summary = "Sends a message to any phone number now",
      description =
          "The answer comes once the message is queued; GET /receipts shows its status. A"
              + " genai text is written before the answer: if the model gives none, the answer is"
              + " 500 with the reason, and nothing is sent. A prompt of type conversation or custom"
              + " is written in a turn of its own. The header Habitline-Participant names the"
              + " receiver. With an Idempotency-Key, a repeated request is carried out once; the"
              + " repetition gets the first answer again, with the header Idempotent-Replay.")
  @ApiResponse(
      responseCode = "200",
      description = "Queued",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = DoneView.class)))
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(
      responseCode = "409",
      description =
          "The number has opted out, or its participant is paused, completed or withdrawn")
  @ApiResponse(
      responseCode = "410",
      description = "The receiver of the first request with this Idempotency-Key has been erased")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  HttpResponse<?> send(
      Authentication by,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body PromptRequest request) {
    var asked = new IdempotentAnswers.Asked(by, idempotencyKey, List.of("/send", request));
    return answers
        .before(asked, RECEIVER)
        .<HttpResponse<?>>map(it -> it)
        .orElseGet(() -> send(by, asked, desk.prepare(request.to(), request.said())));
  }

  private HttpResponse<?> send(
      Authentication by, IdempotentAnswers.Asked asked, PromptDesk.Prepared prepared) {
    return answers.once(
        asked,
        HttpStatus.OK,
        RECEIVER,
        () ->
            new IdempotentAnswers.Made(
                desk.send(Actor.of(by), prepared).participantId(),
                new Reply<Void>("ok", SENT, null, null)));
  }

  @Post("/schedule")
  @Operation(
      operationId = "schedulePrompt",
      summary = "Schedules messages to any phone number",
      description =
          "The result is the id of a timer. Without a schedule, DEFAULT_SCHEDULE applies, in"
              + " the receiver's time zone. All given fields of a schedule must match. A local time"
              + " that does not exist when clocks go forward is moved later; one that exists twice"
              + " when clocks go back is used once. A receiver who has opted out or is paused at"
              + " that time gets nothing, and GET /receipts shows cancelled. The Idempotency-Key"
              + " works as for POST /send.")
  @ApiResponse(
      responseCode = "201",
      description = "The message is scheduled; the result is the id of the timer",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/Reply_String_")))
  @ApiResponse(
      responseCode = "400",
      description =
          "A field is invalid, the schedule never matches, or there is neither a schedule nor"
              + " DEFAULT_SCHEDULE")
  @ApiResponse(
      responseCode = "409",
      description =
          "The number has opted out, or its participant is paused, completed or withdrawn")
  @ApiResponse(
      responseCode = "410",
      description = "The receiver of the first request with this Idempotency-Key has been erased")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  HttpResponse<?> schedule(
      Authentication by,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body PromptRequest request) {
    var when = request.schedule();
    return answers.once(
        new IdempotentAnswers.Asked(by, idempotencyKey, List.of("/schedule", request)),
        HttpStatus.CREATED,
        RECEIVER,
        () -> {
          var done =
              desk.schedule(
                  Actor.of(by), request.to(), request.said(), when == null ? null : when.times());
          return new IdempotentAnswers.Made(done.participantId(), Reply.ok(SCHEDULED, done.id()));
        });
  }

  /** When a timer recurs; an absent field matches any value. */
  @Introspected
  @Schema(name = "TimerSchedule")
  record ScheduleView(
      @Nullable Integer minute,
      @Nullable Integer hour,
      @Nullable Integer day,
      @Nullable Integer month,
      @Nullable Integer weekday,
      String timezone) {

    static ScheduleView of(CalendarRule rule) {
      return new ScheduleView(
          rule.minute(),
          rule.hour(),
          rule.day(),
          rule.month(),
          rule.weekday(),
          rule.zone().getId());
    }
  }

  /** A timer. */
  @Introspected
  @Schema(name = "TimerInfo")
  record TimerView(
      String id,
      @Schema(
              type = "string",
              allowableValues = {"once", "recurring"})
          String type,
      Instant scheduledAt,
      @Nullable @Schema(description = "When it is due, if it is due only once") Instant expiresAt,
      @Nullable ScheduleView schedule,
      @Nullable @Schema(description = "When it is due next, if it recurs") Instant nextRun,
      @Schema(description = "The time until then, as a Go duration", example = "23h59m12s")
          String remaining,
      String description) {

    static TimerView of(TimerDesk.TimerInfo timer) {
      var rule = timer.rule();
      return new TimerView(
          timer.id(),
          timer.type(),
          timer.scheduledAt(),
          timer.expiresAt(),
          rule == null ? null : ScheduleView.of(rule),
          timer.nextRun(),
          timer.remaining(),
          timer.description());
    }
  }

  /** A page of timers, without the envelope of other replies. */
  @Introspected
  @Schema(name = "Timers")
  record TimersView(List<TimerView> timers, int count, @Nullable String nextCursor) {}

  @Get("/timers")
  @Operation(
      operationId = "listTimers",
      summary = "Lists timers",
      description =
          "Lists first the schedules of POST /schedule, oldest first, then single wake-ups in"
              + " conversations, soonest first. count is the number of timers on the page.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  TimersView timers(@QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = timers.timers(most(limit), cursor);
    var shown = page.timers().stream().map(TimerView::of).toList();
    return new TimersView(shown, shown.size(), page.next());
  }

  @Get("/timers/{id}")
  @Operation(operationId = "getTimer", summary = "Shows one timer")
  @ApiResponse(responseCode = "200", description = "The timer, without an envelope")
  @ApiResponse(responseCode = "404", description = "No timer has this id")
  TimerView timer(String id) {
    return TimerView.of(timers.timer(id));
  }

  @Delete("/timers/{id}")
  @Operation(operationId = "cancelTimer", summary = "Cancels a timer")
  @ApiResponse(
      responseCode = "200",
      description = "The timer is cancelled; the answer has no envelope",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/TimerCanceled")))
  @ApiResponse(responseCode = "404", description = "No timer has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "It is a participant's next daily prompt, which their schedule would plan again")
  Map<String, Object> cancel(Authentication by, String id) {
    timers.cancel(Actor.of(by), id);
    // A map, because a record's names would be written in snake case.
    var answer = new LinkedHashMap<String, Object>();
    answer.put("message", "Timer cancelled successfully");
    answer.put("timerID", id);
    answer.put("canceled", true);
    return answer;
  }

  /** The delivery status of a message. */
  @Introspected
  @Schema(name = "Receipt")
  record ReceiptView(
      String to,
      @Schema(
              type = "string",
              allowableValues = {"sent", "delivered", "read", "failed", "cancelled"},
              description = "sent, even while it is only queued")
          String status,
      @Schema(description = "When it reached this status, in Unix seconds") long time) {}

  @Get("/receipts")
  @Operation(
      operationId = "listReceipts",
      summary = "Lists the messages of this API with their status, newest first")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<ReceiptView>> receipts(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var most = most(limit);
    var found = scripts.receipts(Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(
        page.stream()
            .map(it -> new ReceiptView(it.to(), it.status(), it.at().getEpochSecond()))
            .toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  /** A confirmation: an envelope without a result. */
  @Introspected
  @Schema(name = "Done")
  record DoneView(String status, String message) {}

  /** A response to record. */
  @Introspected
  @Schema(name = "ResponseToRecord")
  record ResponseRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              example = "+1234567890",
              description = "Accepted in the same forms as the field `to` of a prompt")
          String from,
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 10_000)
          String body,
      @Nullable
          @Schema(
              description =
                  "Ignored: scripts for the original API send Unix seconds; the current time is"
                      + " recorded instead",
              example = "1767225600")
          Long time) {}

  @Post("/response")
  @Operation(
      operationId = "recordResponse",
      summary = "Records a text as a person's response",
      description =
          "The response is listed and counted, and gets no reply. A time in the request is"
              + " ignored: the current time is recorded.")
  @ApiResponse(
      responseCode = "201",
      description = "The response is recorded with the current time",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = DoneView.class)))
  @ApiResponse(responseCode = "400", description = "The number or the text is missing")
  HttpResponse<DoneView> record(Authentication by, @Body ResponseRequest request) {
    desk.record(Actor.of(by), request.from(), request.body());
    return HttpResponse.created(new DoneView("ok", "Response recorded successfully"));
  }

  /** A recorded response, as it is listed. */
  @Introspected
  @Schema(name = "Response")
  record ResponseView(
      String from, String body, @Schema(description = "In Unix seconds") long time) {}

  @Get("/responses")
  @Operation(
      operationId = "listResponses",
      summary =
          "Lists texts from people who got messages of this API, and recorded responses,"
              + " newest first")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<ResponseView>> responses(
      Authentication by, @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    reads.responses(by);
    var most = most(limit);
    var found = scripts.responses(Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(
        page.stream()
            .map(it -> new ResponseView(it.from(), it.body(), it.at().getEpochSecond()))
            .toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  /** Counts of the responses. */
  @Introspected
  @Schema(name = "ResponseStats")
  record StatsView(
      long totalResponses,
      @Schema(
              description =
                  "The number of responses by phone number, for the 1000 people who wrote most")
          Map<String, Long> responsesPerSender,
      @Schema(description = "In characters") double avgResponseLength) {}

  @Get("/stats")
  @Operation(
      operationId = "getResponseStats",
      summary = "Counts the responses that GET /responses lists")
  @ApiResponse(responseCode = "200", description = "The counts, in total and by sender")
  Reply<StatsView> stats() {
    var stats = scripts.stats();
    return Reply.ok(new StatsView(stats.total(), stats.perSender(), stats.averageLength()));
  }

  /**
   * Returns the page size. Without a limit it is the longest page, because the original lists
   * everything.
   */
  private static int most(@Nullable Integer limit) {
    return limit == null ? Paging.MOST : Paging.limit(limit);
  }
}
