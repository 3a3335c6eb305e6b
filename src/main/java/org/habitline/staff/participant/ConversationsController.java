package org.habitline.staff.participant;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.StateReader;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Flag;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.PromptOutcome;

/**
 * Shows a participant's conversation and everything the database records about it. Read-only,
 * except for the audit log.
 */
@Controller("/conversation/participants/{id}")
@Secured("viewer")
@Tag(name = "Conversations")
@ApiResponse(
    responseCode = "404",
    description = "No participant has this id, or there is no turn or iteration with this number")
final class ConversationsController {

  private final EnrolmentDesk desk;
  private final TranscriptReader transcript;
  private final TurnReader turns;
  private final StateReader states;
  private final OccurrenceReader prompts;
  private final Outbox outbox;
  private final DeliveryDiagnosisDesk silence;
  private final ReadLog reads;

  ConversationsController(
      EnrolmentDesk desk,
      TranscriptReader transcript,
      TurnReader turns,
      StateReader states,
      OccurrenceReader prompts,
      Outbox outbox,
      DeliveryDiagnosisDesk silence,
      ReadLog reads) {
    this.desk = desk;
    this.transcript = transcript;
    this.turns = turns;
    this.states = states;
    this.prompts = prompts;
    this.outbox = outbox;
    this.silence = silence;
    this.reads = reads;
  }

  @Get("/history")
  @Operation(
      operationId = "getHistory",
      summary = "Shows the conversation, oldest first",
      description =
          "Without full: role, content and timestamp of the newest 50 messages, the most that"
              + " a model is shown. With full=true: the whole transcript in pages, newest page"
              + " first, each page oldest first. Only the role safety sees the words of messages that"
              + " belong to a safety incident; for others their content is '"
              + TranscriptReader.HIDDEN
              + "'.")
  @ApiResponse(
      responseCode = "200",
      description =
          "The messages; next_cursor leads to older messages and is absent on the page with"
              + " the oldest",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/History")))
  @ApiResponse(
      responseCode = "400",
      description =
          "full, limit or cursor is invalid, or limit or cursor was given without full=true")
  Reply<? extends List<?>> history(
      Authentication by,
      String id,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"true", "false"})
          String full,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var participant = read(by, id);
    if (Flag.of("full", full)) {
      return transcript(by, id, Paging.limit(limit), Paging.before(cursor));
    }
    if (limit != null || cursor != null) {
      throw ApiProblem.bad("limit and cursor are accepted only with full=true.");
    }
    return Reply.ok(transcript.history(participant, Actor.seesIncidents(by)));
  }

  private Reply<List<TranscriptReader.Message>> transcript(
      Authentication by, String id, int limit, long before) {
    var newest = transcript.newest(id, before, limit + 1);
    var more = newest.size() > limit;
    var page = more ? newest.subList(1, newest.size()) : newest;
    var mayRead = Actor.seesIncidents(by);
    return Reply.page(
        page.stream().map(message -> message.shown(mayRead)).toList(),
        more ? page.getFirst().seq() : null);
  }

  @Get("/state")
  @Secured("researcher")
  @Operation(
      operationId = "getState",
      summary = "Shows the state data by key",
      description =
          "Keys without a value are absent. conversationHistory is generated from the"
              + " transcript.")
  @ApiResponse(
      responseCode = "200",
      description = "The state",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/State")))
  Reply<Map<String, Object>> state(Authentication by, String id) {
    return Reply.ok(states.state(read(by, id), Actor.seesIncidents(by)));
  }

  /**
   * Daily prompts of a participant.
   *
   * @param schedules the current schedules, as {@code scheduleRegistry} of the state data
   * @param occurrences the result of each prompt, newest date first
   * @param preparedPrompt the text that is prepared for the next prompt, absent if none is
   */
  @Introspected
  record SchedulesView(
      @Schema(ref = "#/components/schemas/Schedules") List<Map<String, Object>> schedules,
      List<OccurrenceView> occurrences,
      @Nullable String preparedPrompt) {}

  /**
   * One daily prompt on one local date.
   *
   * @param askedAt when the question about the outcome was asked
   * @param outcome what came of it, absent until somebody says
   * @param done whether the outcome is done
   */
  @Introspected
  record OccurrenceView(
      LocalDate date,
      int slot,
      String scheduleId,
      String localTime,
      String timezone,
      Instant dueAt,
      String status,
      @Nullable String reason,
      @Nullable Integer turn,
      @Nullable Instant sentAt,
      @Nullable Instant remindedAt,
      @Nullable Instant respondedAt,
      @Nullable Instant askedAt,
      @Nullable PromptOutcome outcome,
      boolean done) {

    static OccurrenceView of(Occurrence occurrence) {
      return new OccurrenceView(
          occurrence.key().date(),
          occurrence.key().slot(),
          occurrence.scheduleId(),
          occurrence.moment().text(),
          occurrence.moment().zone().getId(),
          occurrence.moment().at(),
          occurrence.status().name().toLowerCase(Locale.ROOT),
          occurrence.reason(),
          occurrence.turn(),
          occurrence.sentAt(),
          occurrence.remindedAt(),
          occurrence.respondedAt(),
          occurrence.askedAt(),
          occurrence.outcome(),
          occurrence.done());
    }
  }

  @Get("/schedules")
  @Operation(
      operationId = "getSchedules",
      summary = "Shows the daily prompts: active schedules, and the result for each date",
      description =
          "Local times are in the participant's time zone. Occurrences are returned in pages,"
              + " newest date first. The status is planned, prompting (written, not accepted by the"
              + " provider yet), sent, refused, missed, cancelled, or skipped by staff, with the reason."
              + " asked_at is when"
              + " the question about the outcome was asked, responded_at the first reply.")
  @ApiResponse(
      responseCode = "200",
      description =
          "The schedules and a page of occurrences; next_cursor is absent on the page with"
              + " the oldest")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<SchedulesView> schedules(
      Authentication by,
      String id,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var participant = read(by, id);
    var most = Paging.limit(limit);
    var found = prompts.newest(participant.id(), place(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(
        new SchedulesView(
            states.schedules(participant),
            page.stream().map(OccurrenceView::of).toList(),
            states.preparedPrompt(id).orElse(null)),
        found.size() > most ? place(page.getLast().key()) : null);
  }

  private static String place(Occurrence.Key key) {
    return key.date() + "." + key.slot();
  }

  private static Occurrence.@Nullable Key place(@Nullable String cursor) {
    if (cursor == null || cursor.isBlank()) {
      return null;
    }
    try {
      return Occurrence.Key.read(cursor.replace('.', '#'));
    } catch (DateTimeParseException | NumberFormatException | StringIndexOutOfBoundsException e) {
      throw Paging.badCursor();
    }
  }

  /**
   * A profile and its history.
   *
   * @param profile a JSON object, empty until something is saved; a JsonNode would be described as
   *     a list
   * @param missing the fields that a habit prompt still needs, or in a flow that writes none the
   *     required fields without a value
   * @param changes every change, oldest first
   */
  @Introspected
  record ProfileView(Object profile, List<String> missing, List<ProfileChange> changes) {}

  /**
   * One change of one field. A value is absent before the field was first set and after it was
   * cleared.
   *
   * @param turn the turn that changed it, absent if staff did
   * @param changedBy the staff member who changed it, absent if a turn did
   */
  @Introspected
  record ProfileChange(
      @Nullable Integer turn,
      @Nullable String changedBy,
      String field,
      @Nullable @Schema(ref = "#/components/schemas/JsonValue") Object before,
      @Nullable @Schema(ref = "#/components/schemas/JsonValue") Object after,
      Instant changedAt) {

    static ProfileChange of(StateReader.ProfileChange change) {
      return new ProfileChange(
          change.turn(),
          change.changedBy(),
          change.field(),
          change.before(),
          change.after(),
          change.changedAt());
    }
  }

  @Get("/silence")
  @Operation(
      operationId = "explainSilence",
      summary = "Shows why the participant gets no messages, and how to change that",
      description =
          "Lists first what prevents messages, then what went wrong last, then what comes"
              + " next. The causes are safety_incident, consent, opted_out, paused, completed,"
              + " withdrawn, sending_stopped,"
              + " turn_failed, turn_retried, waiting, delivery_failed, delivery_unknown,"
              + " delivery_refused, delivery_again, delivery_waits, prompt_missed, prompt_refused, prompt_skipped,"
              + " prompt_unanswered, unclaimed, no_schedule, next_prompt.")
  @ApiResponse(responseCode = "200", description = "At least one reason")
  Reply<List<DeliveryDiagnosis.Reason>> silence(Authentication by, String id) {
    return Reply.ok(silence.reasons(read(by, id)));
  }

  @Get("/profile")
  @Operation(
      operationId = "getProfile",
      summary = "Shows the profile, its missing fields and its changes")
  @ApiResponse(responseCode = "200", description = "The profile")
  Reply<ProfileView> profile(Authentication by, String id) {
    var profile = states.profile(read(by, id));
    return Reply.ok(
        new ProfileView(
            profile.json().orElseGet(JsonNodeFactory.instance::objectNode),
            profile.missing(),
            states.profileChanges(id).stream().map(ProfileChange::of).toList()));
  }

  @Get("/deliveries")
  @Operation(
      operationId = "listDeliveries",
      summary = "Lists the messages to the participant and their delivery status, newest first",
      description =
          "A message that is too long for its channel has one row for each part. segments is"
              + " the number of segments that are charged. An SMS has an encoding: gsm-7 (160"
              + " characters, or 153 in each of several segments) or ucs-2 (70, or 67). price and"
              + " price_unit are what the provider charged, and template_category is the category"
              + " of the template that was sent; both are present once the provider reports them.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<Outbox.Sent>> deliveries(
      Authentication by,
      String id,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = outbox.deliveries(read(by, id).id(), Paging.before(cursor), most + 1);
    return newestFirst(found, most, Outbox.Sent::seq);
  }

  @Get("/turns")
  @Operation(
      operationId = "listTurns",
      summary = "Lists the turns, newest first, without their iterations")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<TurnReader.Turn>> turns(
      Authentication by,
      String id,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var before = (int) Math.min(Paging.before(cursor), Integer.MAX_VALUE);
    var found = turns.turns(read(by, id).id(), before, most + 1);
    return newestFirst(found, most, TurnReader.Turn::number);
  }

  private static <T> Reply<List<T>> newestFirst(List<T> found, int most, ToLongFunction<T> place) {
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? place.applyAsLong(page.getLast()) : null);
  }

  /** A turn with the model calls it made. */
  @Introspected
  record TurnView(
      int number,
      InputKind kind,
      TurnStatus status,
      @Nullable String module,
      int attempts,
      @Nullable Outcome outcome,
      @Nullable String reason,
      @Schema(description = "Prompt files of the turn with the SHA-256 of their content")
          Map<String, String> promptSha256,
      @Schema(
              description =
                  "The same files with the SHA-256 of what the model read, with the flow's texts and"
                      + " times filled in")
          Map<String, String> promptRenderedSha256,
      @Schema(description = "The number of the configuration version in force when the turn began")
          long configuration,
      Instant startedAt,
      @Nullable Instant completedAt,
      IterationContext context) {
    static TurnView of(TurnReader.Turn turn, IterationContext context) {
      return new TurnView(
          turn.number(),
          turn.kind(),
          turn.status(),
          turn.module(),
          turn.attempts(),
          turn.outcome(),
          turn.reason(),
          turn.promptSha256(),
          turn.promptRenderedSha256(),
          turn.configuration(),
          turn.startedAt(),
          turn.completedAt(),
          context);
    }
  }

  @Get("/turns/{number}")
  @Operation(
      operationId = "getTurn",
      summary = "Shows a turn with its iterations",
      description =
          "Each iteration contains only the messages that were new in it: what was new to the model,"
              + " then its answer, then the results of its tool calls. The messages of all"
              + " iterations before one, and what was new in it, are the request that the model got.")
  @ApiResponse(responseCode = "200", description = "The turn")
  Reply<TurnView> turn(Authentication by, String id, int number) {
    return Reply.ok(
        TurnView.of(
            existing(by, id, number), turns.iterations(id, number, Actor.seesIncidents(by))));
  }

  @Get("/turns/{number}/messages")
  @Operation(
      operationId = "getTurnMessages",
      summary = "Lists the messages of all iterations of a turn, in order",
      description =
          "The model's last answer is the last message of the role assistant. The flow's fallback"
              + " message, which no model wrote, is not among them.")
  @ApiResponse(responseCode = "200", description = "The messages; none if no model was called")
  Reply<List<IterationContext.Message>> turnMessages(Authentication by, String id, int number) {
    return Reply.ok(
        turns
            .iterations(id, existing(by, id, number).number(), Actor.seesIncidents(by))
            .allMessages());
  }

  @Get("/turns/{number}/iterations/{iteration}")
  @Operation(operationId = "getIteration", summary = "Shows one iteration of a turn")
  @ApiResponse(responseCode = "200", description = "The iteration")
  Reply<IterationContext.Iteration> iteration(
      Authentication by, String id, int number, int iteration) {
    return Reply.ok(one(by, id, number, iteration));
  }

  @Get("/turns/{number}/iterations/{iteration}/messages")
  @Operation(
      operationId = "getIterationMessages",
      summary = "Lists the messages that were new in one iteration of a turn")
  @ApiResponse(responseCode = "200", description = "The messages")
  Reply<List<IterationContext.Message>> iterationMessages(
      Authentication by, String id, int number, int iteration) {
    return Reply.ok(one(by, id, number, iteration).messages());
  }

  private IterationContext.Iteration one(Authentication by, String id, int number, int iteration) {
    return turns
        .iterations(id, existing(by, id, number).number(), Actor.seesIncidents(by))
        .iteration(iteration)
        .orElseThrow(() ->
            ApiProblem.notFound(
                "There is no iteration "
                    + iteration
                    + " in turn "
                    + number
                    + "; iterations are numbered from 1."));
  }

  private Participant read(Authentication by, String id) {
    var participant = desk.participant(id);
    reads.conversation(by, participant.id());
    return participant;
  }

  private TurnReader.Turn existing(Authentication by, String id, int number) {
    return turns
        .turn(read(by, id).id(), number)
        .orElseThrow(() ->
            ApiProblem.notFound(
                "There is no turn "
                    + number
                    + " of this participant; turns are numbered from 1 and GET …/turns lists them."));
  }
}
