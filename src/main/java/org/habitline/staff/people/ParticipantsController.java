package org.habitline.staff.people;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Map;
import org.habitline.staff.web.AcceptsQuery;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Flag;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;

/** Enrols, lists, changes and erases participants. */
@Controller("/conversation/participants")
@Secured("researcher")
@Tag(name = "Participants")
final class ParticipantsController {

  private static final String ENROLLED = "Conversation participant enrolled successfully";

  private static final String STUDY_ID = "^[A-Za-z0-9._-]{1,64}$";

  private static final String OWN_ID =
      "The study's own id of the person, of letters, digits, -, _ and .; no two participants have the"
          + " same";

  private static final String FIELDS =
      "Values of the study's own fields, by name. Every value is a text, such as"
          + " \"12\" or \"2026-03-31\"";

  private final EnrolmentDesk desk;
  private final PeopleSearch search;
  private final IdempotentAnswers answers;
  private final ParticipantViews views;
  private final ReadLog reads;

  ParticipantsController(
      EnrolmentDesk desk,
      PeopleSearch search,
      IdempotentAnswers answers,
      ParticipantViews views,
      ReadLog reads) {
    this.views = views;
    this.reads = reads;
    this.desk = desk;
    this.search = search;
    this.answers = answers;
  }

  /** A person to enrol; a blank field counts as not given. */
  @Introspected
  @Schema(name = "Enrolment")
  record EnrolmentRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              example = "+1234567890",
              description =
                  "A plus sign and 8 to 15 digits, or a number in the national format of"
                      + " HABITLINE_DEFAULT_REGION")
          String phoneNumber,
      @Nullable @Schema(maxLength = 200) String name,
      @Nullable @Schema(maxLength = 200) String gender,
      @Nullable @Schema(maxLength = 200) String ethnicity,
      @Nullable @Schema(maxLength = 10_000) String background,
      @Nullable
          @Schema(
              example = "America/New_York",
              description = "An IANA name; the default is HABITLINE_DEFAULT_TIMEZONE")
          String timezone,
      @Nullable @Schema(description = "A flow; the default is HABITLINE_FLOW") String flow,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"sms", "whatsapp", "simulator"},
              description = "A configured channel; the default is a real one, if any is configured")
          String channel,
      @Nullable
          @Schema(
              maxLength = 100,
              description =
                  "The version of the consent text to which the person consented elsewhere, such as"
                      + " on paper")
          String consentVersion,
      @Nullable
          @Schema(
              maxLength = 20,
              example = "es",
              description =
                  "One of the flow's languages, as an ISO 639 code; the default is the flow's own")
          String language,
      @Nullable
          @Schema(maxLength = 64, pattern = STUDY_ID, example = "S-0042", description = OWN_ID)
          String studyId,
      @Nullable @Schema(description = FIELDS, example = "{\"site\": \"north\"}")
          Map<String, @Nullable String> fields) {
    EnrolmentDesk.Wanted wanted() {
      return new EnrolmentDesk.Wanted(
          phoneNumber,
          name,
          gender,
          ethnicity,
          background,
          timezone,
          flow,
          channel,
          consentVersion,
          language,
          studyId,
          CustomFields.ofJson(fields));
    }
  }

  // JSON nodes, because an absent field and a null one mean different things.
  /** The changes. An absent field stays unchanged; null clears a text. */
  @Introspected
  @Schema(name = "ParticipantChange")
  record ChangeRequest(
      @Nullable @Schema(type = "string", nullable = true, maxLength = 200) JsonNode name,
      @Nullable @Schema(type = "string", nullable = true, maxLength = 200) JsonNode gender,
      @Nullable @Schema(type = "string", nullable = true, maxLength = 200) JsonNode ethnicity,
      @Nullable @Schema(type = "string", nullable = true, maxLength = 10_000) JsonNode background,
      @Nullable @Schema(type = "string", nullable = false, description = "An IANA name")
          JsonNode timezone,
      @Nullable
          @Schema(
              type = "string",
              nullable = false,
              allowableValues = {"active", "paused", "completed", "withdrawn"},
              description = "A withdrawn participant can only become active")
          JsonNode status,
      @Nullable
          @Schema(
              type = "string",
              nullable = false,
              maxLength = 1000,
              description = "Recorded in the audit log")
          JsonNode reason,
      @Nullable
          @Schema(
              type = "string",
              nullable = false,
              maxLength = 100,
              description =
                  "The version of the consent text to which the participant consented elsewhere")
          JsonNode consentVersion,
      @Nullable
          @Schema(
              type = "string",
              nullable = true,
              maxLength = 20,
              description =
                  "One of the flow's languages, as an ISO 639 code; null stands for the flow's own")
          JsonNode language,
      @Nullable
          @Schema(
              type = "string",
              nullable = true,
              maxLength = 64,
              pattern = STUDY_ID,
              example = "S-0042",
              description = OWN_ID + "; null removes it")
          JsonNode studyId,
      @Nullable
          @Schema(
              description = FIELDS + ". A field that is left out stays as it is; null clears one",
              example = "{\"site\": \"north\"}")
          Map<String, @Nullable String> fields) {

    EnrolmentDesk.WantedChange wanted() {
      return new EnrolmentDesk.WantedChange(
          clearable("name", name),
          clearable("gender", gender),
          clearable("ethnicity", ethnicity),
          clearable("background", background),
          kept("timezone", timezone),
          kept("status", status),
          kept("reason", reason),
          kept("consent_version", consentVersion),
          clearable("language", language),
          clearable("study_id", studyId),
          CustomFields.ofJson(fields));
    }

    private static @Nullable String clearable(String field, @Nullable JsonNode said) {
      return said != null && said.isNull() ? "" : kept(field, said);
    }

    private static @Nullable String kept(String field, @Nullable JsonNode said) {
      if (said == null) {
        return null;
      }
      if (said.isTextual()) {
        return said.textValue();
      }
      throw ApiProblem.bad(
          said.isNull()
              ? field + ": cannot be cleared; leave the field out to keep it."
              : field + ": expected a text.");
    }
  }

  @Post
  @Operation(
      operationId = "enrolParticipant",
      summary = "Enrols a participant and greets them",
      description =
          "With an Idempotency-Key, a repeated request is carried out once; the repetition"
              + " gets the first answer again, with the header Idempotent-Replay.")
  @ApiResponse(
      responseCode = "201",
      description = "The participant is enrolled; the greeting follows",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/Reply_ParticipantView_")))
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(
      responseCode = "409",
      description = "The number is already enrolled, or another participant has the study id")
  @ApiResponse(
      responseCode = "410",
      description = "The participant who was enrolled with this Idempotency-Key has been erased")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  HttpResponse<?> enrol(
      Authentication by,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body EnrolmentRequest request) {
    return answers.created(
        by,
        idempotencyKey,
        request,
        ParticipantsController::location,
        () -> {
          var enrolled = desk.enrol(Actor.of(by), request.wanted());
          return new IdempotentAnswers.Made(enrolled.participant().id(), reply(enrolled));
        });
  }

  private static String location(String id) {
    return "/conversation/participants/" + id;
  }

  private Reply<ParticipantView> reply(EnrolmentDesk.Enrolled enrolled) {
    return Reply.ok(ENROLLED, views.of(enrolled.participant(), enrolled.warnings()));
  }

  @Get
  @Secured("viewer")
  @Operation(
      operationId = "listParticipants",
      summary = "Lists participants, newest first if nothing else is asked for",
      description =
          "All filters must match. Blank filters are ignored. A parameter such as field.site=north"
              + " filters by one of the study's own fields, whatever the case of its letters.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(
      responseCode = "400",
      description = "The limit, the cursor, the order or a filter is invalid")
  @AcceptsQuery("field.*")
  Reply<List<ParticipantView>> list(
      Authentication by,
      HttpRequest<?> request,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor,
      @QueryValue
          @Nullable
          @Schema(
              maxLength = 200,
              description =
                  "A part of the name or of the study id, the beginning of the id, a phone number,"
                      + " or its last digits")
          String q,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {
                "active",
                "waiting_for_consent",
                "no_consent",
                "opted_out",
                "paused_by_incident",
                "paused",
                "completed",
                "withdrawn"
              },
              description =
                  "How they take part, as GET /study/figures counts it: active is only whom the"
                      + " coach writes to. Each participant is in one of these groups")
          String participation,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"active", "paused", "completed", "withdrawn"})
          String status,
      @QueryValue @Nullable @Schema(description = "A flow") String flow,
      @QueryValue("sub_state") @Nullable @Schema(description = "A module of a flow, such as INTAKE")
          String subState,
      @QueryValue("opted_out")
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"true", "false"},
              description = "Whether their number has opted out")
          String optedOut,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {
                "not_asked",
                "age_asked",
                "asked",
                "given",
                "elsewhere",
                "declined",
                "not_eligible",
                "left_to_staff"
              },
              description = "How far they are with the study's question for consent")
          String consent,
      @QueryValue("study_id")
          @Nullable
          @Schema(maxLength = 64, example = "S-0042", description = "The whole study id")
          String studyId,
      @QueryValue
          @Nullable
          @Schema(
              maxLength = 20,
              example = "es",
              description = "The language that they are written to in, as an ISO 639 code")
          String language,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"sms", "whatsapp", "simulator"})
          String channel,
      @QueryValue @Nullable @Schema(maxLength = 40, description = "A tag that they have")
          String tag,
      @QueryValue("silent_days")
          @Nullable
          @Schema(
              type = "integer",
              minimum = "1",
              maximum = "3650",
              description = "For so many days they were enrolled, and no text came from them")
          String silentDays,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              defaultValue = "-enrolled",
              allowableValues = {
                "enrolled",
                "-enrolled",
                "name",
                "-name",
                "study_id",
                "-study_id",
                "status",
                "-status",
                "last_heard",
                "-last_heard",
                "last_prompt",
                "-last_prompt",
                "next_prompt",
                "-next_prompt",
                "answer_rate",
                "-answer_rate"
              },
              description =
                  "A minus sign sorts in descending order. Participants without a value come last."
                      + " If values change between two pages, someone may be missed, but never in"
                      + " the order of enrolment; status sorts by the words of participation")
          String sort) {
    if (search.asksForNumber(by, q)) {
      reads.numberLookedUp(by);
    }
    var page =
        search.find(
            new PeopleSearch.Wanted(
                q,
                participation,
                status,
                flow,
                subState,
                optedOut,
                consent,
                studyId,
                language,
                channel,
                tag,
                silentDays,
                CustomFields.in(request.getParameters().asMap(String.class, String.class))),
            sort,
            cursor,
            Paging.limit(limit));
    return Reply.page(views.all(by, page.participants()), page.next());
  }

  @Get("/{id}")
  @Secured("viewer")
  @Operation(operationId = "getParticipant", summary = "Shows a participant")
  @ApiResponse(responseCode = "200", description = "The participant")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<ParticipantView> get(Authentication by, String id) {
    return Reply.ok(views.to(by, desk.participant(id)));
  }

  @Put("/{id}")
  @Operation(
      operationId = "updateParticipant",
      summary = "Changes a participant; fields that are left out stay as they are",
      description =
          "Null or a blank text clears name, gender, ethnicity, background, language, study_id or"
              + " one of the fields. timezone and"
              + " status cannot be cleared. Withdrawing a participant, or undoing that, needs the"
              + " role staff.")
  @ApiResponse(responseCode = "200", description = "The changed participant")
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(
      responseCode = "403",
      description = "Withdrawing a participant, or undoing that, needs the role staff")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "The status cannot be changed from the current one to this one, or another participant"
              + " has the study id")
  Reply<ParticipantView> change(Authentication by, String id, @Body ChangeRequest request) {
    return Reply.ok(
        "Conversation participant updated successfully",
        views.of(desk.change(Actor.of(by), id, request.wanted())));
  }

  /** The new phone number, and the reason. */
  @Introspected
  @Schema(name = "NumberChange")
  record NumberRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              example = "+1234567890",
              description = "Accepted in the same forms as at enrolment")
          String phoneNumber,
      @Nullable @Schema(maxLength = 1000, description = "Recorded in the audit log")
          String reason) {}

  @Post("/{id}/phone")
  @Secured("staff")
  @Operation(
      operationId = "changePhoneNumber",
      summary = "Changes the participant's phone number",
      description =
          "Waiting messages go to the new number. Later texts from the old number are listed"
              + " under /unclaimed. An opt-out belongs to a number: the old number keeps its own,"
              + " and the new number may have one. Senders without a number that were matched to"
              + " the participant are removed.")
  @ApiResponse(responseCode = "200", description = "The changed participant, with warnings")
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(responseCode = "409", description = "The number belongs to another participant")
  Reply<ParticipantView> changeNumber(Authentication by, String id, @Body NumberRequest request) {
    var changed = desk.changeNumber(Actor.of(by), id, request.phoneNumber(), request.reason());
    return Reply.ok(
        "Phone number changed successfully", views.of(changed.participant(), changed.warnings()));
  }

  @Delete("/{id}/senders")
  @Secured("staff")
  @Operation(
      operationId = "forgetSenders",
      summary = "Undoes the match of WhatsApp senders without a visible number",
      description =
          "Later texts from these senders are listed under /unclaimed, and WhatsApp messages"
              + " go to the phone number. Use this if a text was matched to the wrong participant.")
  @ApiResponse(responseCode = "200", description = "Forgotten")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(responseCode = "409", description = "The participant has no such senders")
  Reply<String> forgetSenders(Authentication by, String id) {
    desk.forgetSenders(Actor.of(by), id);
    return Reply.ok("Senders removed", id);
  }

  @Delete("/{id}")
  @Secured("staff")
  @Operation(
      operationId = "deleteParticipant",
      summary = "Erases a participant and their data",
      description =
          "The flow's last message is sent first (not to a participant who opted out). The"
              + " data is erased once this message was accepted or refused. With keep_transcript,"
              + " an anonymous transcript is kept under the id. GET /erasures shows when the"
              + " database's files are cleaned, too.")
  @ApiResponse(responseCode = "200", description = "The erasure has begun")
  @ApiResponse(
      responseCode = "400",
      description = "keep_transcript is neither true nor false, or the reason is invalid")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "The file erasures.jsonl in the home folder cannot be written, so no one was erased")
  Reply<String> delete(
      Authentication by,
      String id,
      @QueryValue("keep_transcript")
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"true", "false"})
          String keepTranscript,
      @QueryValue @Nullable @Schema(description = "Recorded in the audit log") String reason) {
    desk.erase(Actor.of(by), id, Flag.of("keep_transcript", keepTranscript), reason);
    return Reply.ok("Conversation participant deleted successfully", id);
  }
}
