package org.habitline.staff;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
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
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;

/** Enrolment and everything about a participant's own data. */
@Controller("/conversation/participants")
@Secured("researcher")
@Tag(name = "Participants")
final class ParticipantsController {

  private static final String ENROLLED = "Conversation participant enrolled successfully";

  private final EnrolmentDesk desk;
  private final Idempotency idempotency;
  private final ObjectMapper json;

  ParticipantsController(EnrolmentDesk desk, Idempotency idempotency, ObjectMapper json) {
    this.desk = desk;
    this.idempotency = idempotency;
    this.json = json;
  }

  @Introspected
  record EnrolmentRequest(
      @Nullable String phoneNumber,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      @Nullable String timezone,
      @Nullable String flow,
      @Nullable String channel) {
    EnrolmentDesk.Wanted wanted() {
      return new EnrolmentDesk.Wanted(
          phoneNumber, name, gender, ethnicity, background, timezone, flow, channel);
    }
  }

  @Introspected
  record ChangeRequest(
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      @Nullable String timezone,
      @Nullable String status) {
    EnrolmentDesk.WantedChange wanted() {
      return new EnrolmentDesk.WantedChange(name, gender, ethnicity, background, timezone, status);
    }
  }

  @Post
  @Operation(
      summary = "Enrols a participant and greets them",
      description =
          "With an Idempotency-Key the same request is carried out once; repeating it gives the first answer"
              + " again, with the header Idempotent-Replay.")
  @ApiResponse(responseCode = "201", description = "Enrolled; the greeting follows")
  @ApiResponse(
      responseCode = "400",
      description = "Something is not accepted; the message says what is")
  @ApiResponse(responseCode = "409", description = "The number is enrolled already")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key came with another request before")
  HttpResponse<?> enrol(
      Authentication by,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body EnrolmentRequest request) {
    if (idempotencyKey == null || idempotencyKey.isBlank()) {
      return enrolled(enrol(by, request));
    }
    var answer =
        idempotency.once(
            new Idempotency.Key(by.getName(), idempotencyKey, write(request)),
            () ->
                new Idempotency.Answer(
                    HttpStatus.CREATED.getCode(), write(reply(enrol(by, request)))));
    MutableHttpResponse<String> response =
        HttpResponse.<String>status(HttpStatus.valueOf(answer.status()))
            .body(answer.body())
            .contentType(MediaType.APPLICATION_JSON_TYPE);
    return answer.replayed() ? response.header("Idempotent-Replay", "true") : response;
  }

  private EnrolmentDesk.Enrolled enrol(Authentication by, EnrolmentRequest request) {
    return desk.enrol(Actors.of(by), request.wanted());
  }

  private static Reply<ParticipantView> reply(EnrolmentDesk.Enrolled enrolled) {
    return Reply.ok(ENROLLED, ParticipantView.of(enrolled.participant(), enrolled.warnings()));
  }

  private static HttpResponse<?> enrolled(EnrolmentDesk.Enrolled enrolled) {
    return HttpResponse.created(reply(enrolled));
  }

  private String write(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("An answer cannot be written: " + e.getClass().getName());
    }
  }

  @Get
  @Operation(summary = "Lists participants, newest first")
  @ApiResponse(responseCode = "200", description = "A page; next_cursor is absent after the last")
  @ApiResponse(responseCode = "400", description = "A bad limit, cursor or filter")
  Reply<List<ParticipantView>> list(
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor,
      @QueryValue @Nullable String status,
      @QueryValue @Nullable String flow) {
    var page = desk.list(status, flow, Paging.before(cursor), Paging.limit(limit));
    return Reply.page(page.participants().stream().map(ParticipantView::of).toList(), page.next());
  }

  @Get("/{id}")
  @Operation(summary = "Shows a participant")
  @ApiResponse(responseCode = "200", description = "The participant")
  @ApiResponse(responseCode = "404", description = "There is none with this id")
  Reply<ParticipantView> get(String id) {
    return Reply.ok(ParticipantView.of(desk.participant(id)));
  }

  @Put("/{id}")
  @Operation(summary = "Changes what is given; a blank text clears")
  @ApiResponse(responseCode = "200", description = "The participant as changed")
  @ApiResponse(
      responseCode = "400",
      description = "Something is not accepted; the message says what is")
  @ApiResponse(responseCode = "404", description = "There is none with this id")
  Reply<ParticipantView> change(Authentication by, String id, @Body ChangeRequest request) {
    return Reply.ok(
        "Conversation participant updated successfully",
        ParticipantView.of(desk.change(Actors.of(by), id, request.wanted())));
  }

  @Delete("/{id}")
  @Operation(
      summary = "Takes a participant off the line and erases their data",
      description =
          "The flow's notice goes out first (not to someone who opted out); the data is erased once it was"
              + " accepted or refused. With keep_transcript the transcript stays under the id alone.")
  @ApiResponse(responseCode = "200", description = "The erasure has begun")
  @ApiResponse(responseCode = "404", description = "There is none with this id")
  Reply<String> delete(
      Authentication by,
      String id,
      @QueryValue(value = "keep_transcript", defaultValue = "false") boolean keepTranscript) {
    desk.erase(Actors.of(by), id, keepTranscript);
    return Reply.ok("Conversation participant deleted successfully", id);
  }
}
