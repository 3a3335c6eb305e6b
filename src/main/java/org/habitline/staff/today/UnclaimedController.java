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
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.staff.people.ParticipantView;
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
  private final ReadLog reads;

  UnclaimedController(UnclaimedDesk desk, ReadLog reads) {
    this.desk = desk;
    this.reads = reads;
  }

  @Get
  @Operation(
      operationId = "listUnclaimedTexts",
      summary = "Lists texts from senders whom nobody enrolled, newest first")
  @ApiResponse(responseCode = "200", description = "A page; next_cursor is absent after the last")
  @ApiResponse(responseCode = "400", description = "A bad status, limit or cursor")
  Reply<List<Unclaimed.Text>> list(
      Authentication by,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"waiting", "claimed", "dismissed", "all"},
              description = "waiting without")
          String status,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = desk.texts(status, Paging.before(cursor), most + 1);
    reads.unclaimed(by);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? page.getLast().seq() : null);
  }

  /** Whom to match a text to; exactly one of the first two must be set. */
  @Introspected
  @Schema(name = "Claim")
  record ClaimRequest(
      @Nullable @Schema(description = "A participant") String participantId,
      @Nullable @Schema(description = "Enrols the sender, who must show a number") Boolean enrol,
      @Nullable @Schema(maxLength = 200, description = "Of the sender, if enrolled") String name,
      @Nullable @Schema(description = "Of the sender, if enrolled; IANA name") String timezone,
      @Nullable @Schema(description = "Of the sender, if enrolled") String flow) {}

  @Post("/{seq}/claim")
  @Operation(
      operationId = "claimText",
      summary = "Claims a text for a participant, or enrols its sender",
      description =
          "The text enters the participant's inbox once and is answered like any other; it may opt them out, but not"
              + " back in. If its sender shows no number (a business-scoped id of WhatsApp), later texts of the sender"
              + " are the participant's, and WhatsApp messages to the participant go to the sender.")
  @ApiResponse(responseCode = "200", description = "Claimed; the participant")
  @ApiResponse(responseCode = "400", description = "Not exactly one of participant_id and enrol")
  @ApiResponse(responseCode = "404", description = "There is no such text or participant")
  @ApiResponse(
      responseCode = "409",
      description =
          "It was decided before, its number is enrolled, or its sender is another participant's")
  Reply<ParticipantView> claim(Authentication by, long seq, @Body ClaimRequest request) {
    return Reply.ok(
        "Text claimed",
        ParticipantView.of(
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
  @Operation(operationId = "dismissText", summary = "Puts a text away that nobody needs to answer")
  @ApiResponse(responseCode = "200", description = "Dismissed")
  @ApiResponse(responseCode = "400", description = "No reason")
  @ApiResponse(responseCode = "404", description = "There is no such text")
  @ApiResponse(responseCode = "409", description = "It was decided before")
  Reply<Map<String, String>> dismiss(Authentication by, long seq, @Body DismissRequest request) {
    desk.dismiss(Actor.of(by), seq, request.reason());
    return Reply.ok("Text dismissed", Map.of("status", "dismissed"));
  }
}
