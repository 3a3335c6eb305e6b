package org.habitline.staff.today;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Map;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.staff.people.ParticipantView;
import org.habitline.staff.people.ParticipantViews;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;

/** Lists unmatched texts, from senders who are not enrolled, and matches or dismisses them. */
@Controller("/unclaimed")
@Secured("staff")
@Tag(name = "Participants")
final class UnclaimedController {

  private final UnclaimedDesk desk;
  private final ParticipantViews views;
  private final ReadLog reads;

  UnclaimedController(UnclaimedDesk desk, ParticipantViews views, ReadLog reads) {
    this.desk = desk;
    this.views = views;
    this.reads = reads;
  }

  @Get
  @Operation(
      operationId = "listUnclaimedTexts",
      summary = "Lists texts from senders who are not enrolled, newest first",
      description =
          "Only the role safety sees the words of a text that belongs to a crisis; for others its"
              + " body is '"
              + TranscriptReader.HIDDEN
              + "'.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The status, the limit or the cursor is invalid")
  Reply<List<Unclaimed.Text>> list(
      Authentication by,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"waiting", "claimed", "dismissed", "all"},
              description = "The default is waiting")
          String status,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = desk.texts(status, Paging.before(cursor), most + 1, Actor.seesIncidents(by));
    reads.unclaimed(by);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? page.getLast().seq() : null);
  }

  /** Whom to match a text to; exactly one of the first two must be set. */
  @Introspected
  @Schema(name = "Claim")
  record ClaimRequest(
      @Nullable @Schema(description = "A participant") String participantId,
      @Nullable @Schema(description = "Enrols the sender, whose phone number must be known")
          Boolean enrol,
      @Nullable @Schema(maxLength = 200, description = "For the new participant, if enrol is true")
          String name,
      @Nullable @Schema(description = "For the new participant, if enrol is true; an IANA name")
          String timezone,
      @Nullable @Schema(description = "For the new participant, if enrol is true") String flow) {}

  @Post("/{seq}/claim")
  @Operation(
      operationId = "claimText",
      summary = "Matches a text to a participant, or enrols its sender",
      description =
          "The text enters the participant's conversation once and gets a reply like any"
              + " other. It can opt the participant out, but not in again. If the sender's number"
              + " is not known (WhatsApp shows an id of its own), later texts from the sender"
              + " belong to the participant, and WhatsApp messages to the participant go to that"
              + " sender.")
  @ApiResponse(responseCode = "200", description = "The participant to whom the text now belongs")
  @ApiResponse(
      responseCode = "400",
      description = "Exactly one of participant_id and enrol must be given")
  @ApiResponse(
      responseCode = "404",
      description = "There is no text with this seq, or no participant with this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "The text was matched or dismissed before, its number is already enrolled, or its"
              + " sender belongs to another participant")
  Reply<ParticipantView> claim(Authentication by, long seq, @Body ClaimRequest request) {
    return Reply.ok(
        "Text matched",
        views.of(
            desk.claim(
                Actor.of(by),
                seq,
                new UnclaimedDesk.Claim(
                    request.participantId(),
                    Boolean.TRUE.equals(request.enrol()),
                    request.name(),
                    request.timezone(),
                    request.flow()))));
  }

  /** Why a text needs no reply. */
  @Introspected
  @Schema(name = "Dismissal")
  record DismissRequest(
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 1000)
          String reason) {}

  @Post("/{seq}/dismiss")
  @Operation(operationId = "dismissText", summary = "Dismisses a text that needs no reply")
  @ApiResponse(responseCode = "200", description = "Dismissed")
  @ApiResponse(responseCode = "400", description = "The reason is missing")
  @ApiResponse(responseCode = "404", description = "There is no text with this seq")
  @ApiResponse(responseCode = "409", description = "The text was matched or dismissed before")
  Reply<Map<String, String>> dismiss(Authentication by, long seq, @Body DismissRequest request) {
    desk.dismiss(Actor.of(by), seq, request.reason());
    return Reply.ok("Text dismissed", Map.of("status", "dismissed"));
  }
}
