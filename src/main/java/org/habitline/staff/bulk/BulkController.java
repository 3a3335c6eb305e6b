package org.habitline.staff.bulk;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Pauses, resumes, messages or tags many participants at once. */
@Controller("/conversation/bulk")
@Secured("researcher")
@Tag(name = "Participants")
final class BulkController {

  private static final String ADDRESS = "/conversation/bulk/";

  private final BulkDesk desk;
  private final BulkEstimates estimates;
  private final IdempotentAnswers answers;

  BulkController(BulkDesk desk, BulkEstimates estimates, IdempotentAnswers answers) {
    this.desk = desk;
    this.estimates = estimates;
    this.answers = answers;
  }

  /** What to do, and for whom. */
  @Introspected
  @Schema(name = "BulkSelection")
  record PreviewRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              type = "string",
              allowableValues = {"pause", "resume", "message", "tag", "untag"})
          String action,
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              description = "Ids, at most 10,000")
          List<String> participants,
      @Nullable @Schema(maxLength = 10_000, description = "The words of a message") String text,
      @Nullable @Schema(maxLength = 40, description = "The tag to add or remove") String tag) {}

  /** The preview to carry out. */
  @Introspected
  @Schema(name = "BulkConfirmation")
  record ConfirmRequest(
      @Nullable @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false) String id,
      @Nullable
          @Schema(
              description =
                  "The number of participants who are not left out; needed for a message, and to"
                      + " pause more than 20")
          Integer count,
      @Nullable
          @Schema(
              description =
                  "The version of the preview that you read; if it has changed since, the answer is 409")
          Integer version) {}

  /**
   * A bulk action.
   *
   * @param text the message, until a day after the end
   * @param version how often the text or the tag was chosen; name it to confirm what you read
   * @param by who confirmed it, or who previewed it
   * @param beginsAt system time; absent until it is confirmed
   * @param segments of a previewed message, for all participants together; on the first page only
   * @param cost what a previewed message costs at today's prices; absent if a price is unknown
   */
  @Introspected
  @Schema(name = "BulkAction")
  record View(
      String id,
      @Schema(
              type = "string",
              allowableValues = {"pause", "resume", "message", "tag", "untag"})
          String action,
      @Schema(
              type = "string",
              allowableValues = {"previewed", "waiting", "done", "undone"})
          String status,
      @Nullable String text,
      @Nullable String tag,
      int version,
      String by,
      Instant createdAt,
      @Nullable Instant beginsAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy,
      int waiting,
      int done,
      int excluded,
      int undone,
      int failed,
      @Nullable Integer segments,
      @Nullable BigDecimal cost,
      @Nullable String currency) {}

  /**
   * What came of an action for one participant.
   *
   * @param reason why they are left out, or why it failed
   * @param messageId the message that was written to them
   */
  @Introspected
  @Schema(name = "BulkResult")
  record ResultView(
      String participantId,
      @Schema(
              type = "string",
              allowableValues = {"waiting", "done", "excluded", "undone", "failed"})
          String status,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {
                "opted_out",
                "no_consent",
                "paused",
                "completed",
                "withdrawn",
                "already_active",
                "incident",
                "taken_over",
                "window_closed",
                "country",
                "channel_missing",
                "has_tag",
                "lacks_tag",
                "too_many_tags",
                "gone",
                "fault"
              })
          String reason,
      @Nullable String messageId,
      @Nullable Instant endedAt) {}

  /** A bulk action with a page of its participants. */
  @Introspected
  @Schema(name = "BulkProgress")
  record Progress(View bulk, List<ResultView> participants) {}

  @Post("/preview")
  @Operation(
      operationId = "previewBulk",
      summary = "Previews an action on many participants, without doing it",
      description =
          "Returns the action with the first 50 participants: those that are left out have the"
              + " status excluded and a reason. POST /conversation/bulk with the id carries it out."
              + " A preview is kept for two hours. Messages need the role staff.")
  @ApiResponse(responseCode = "200", description = "The preview")
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(responseCode = "403", description = "Messages need the role staff")
  Reply<Progress> preview(Authentication by, @Body PreviewRequest request) {
    var action = request.action() == null ? "" : request.action();
    var kind =
        BulkKind.of(action)
            .orElseThrow(() ->
                ApiProblem.bad(
                    "action: unknown; expected one of pause, resume, message, tag, untag."));
    var text = request.text();
    if (kind == BulkKind.MESSAGE && text == null) {
      throw ApiProblem.bad("text: missing; write a message for the participants.");
    }
    if (kind.isTagging() && request.tag() == null) {
      throw ApiProblem.bad("tag: missing; expected the tag to add or remove.");
    }
    var ids = request.participants() == null ? List.<String>of() : request.participants();
    return progress(
        by,
        desk.preview(Actor.of(by), kind, ids, new BulkDesk.What(text, request.tag())),
        -1,
        Paging.USUAL);
  }

  @Post
  @Operation(
      operationId = "startBulk",
      summary = "Carries out a previewed action",
      description =
          "It begins 10 seconds later and goes on in the background, also after a restart. Whether"
              + " it may be done is checked again for each participant. A message is written to"
              + " each conversation as a message of staff, and is sent after replies that are"
              + " waiting, in the allowed hours of each participant. With an Idempotency-Key, a repeated request is carried out once.")
  @ApiResponse(
      responseCode = "201",
      description = "Confirmed; GET its address for the progress",
      useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "The id or the count is missing or wrong")
  @ApiResponse(responseCode = "403", description = "Messages need the role staff")
  @ApiResponse(responseCode = "404", description = "No bulk action has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "It was already confirmed, it has changed since that version, all participants are left out, or today's budgets do not cover the messages")
  @ApiResponse(
      responseCode = "410",
      description =
          "The Idempotency-Key was used for a request about a participant who has been erased since")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  @SuppressWarnings("unchecked") // a repeated answer is the same JSON, written before
  HttpResponse<Reply<View>> start(
      Authentication by,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body ConfirmRequest request) {
    var id = request.id();
    if (id == null || id.isBlank() || id.indexOf('\0') >= 0) {
      throw ApiProblem.bad("id: missing; expected the id of a preview.");
    }
    return (HttpResponse<Reply<View>>)
        answers.created(
            by,
            idempotencyKey,
            List.of("bulk", request),
            it -> ADDRESS + it,
            () -> {
              desk.confirm(
                  Actor.of(by),
                  id,
                  request.count() == null ? null : String.valueOf(request.count()),
                  request.version());
              // The action's own id: the reply is about no single participant.
              return new IdempotentAnswers.Made(
                  id,
                  Reply.ok("Confirmed; it begins in 10 seconds", view(by, desk.get(id), false)));
            });
  }

  @Get("/{id}")
  @Operation(
      operationId = "getBulk",
      summary = "Shows the progress of a bulk action and what came of it for each participant")
  @ApiResponse(
      responseCode = "200",
      description =
          "The action, with a page of its participants; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  @ApiResponse(responseCode = "404", description = "No bulk action has this id")
  Reply<Progress> get(
      Authentication by,
      String id,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var after = cursor == null || cursor.isBlank() ? -1 : Paging.before(cursor);
    return progress(by, id, after, Paging.limit(limit));
  }

  @Post("/{id}/undo")
  @Operation(
      operationId = "undoBulk",
      summary = "Stops a bulk action",
      description =
          "In the first 10 seconds nothing is done yet. Later, what is done stays, and nothing more"
              + " is done.")
  @ApiResponse(responseCode = "200", description = "Stopped")
  @ApiResponse(responseCode = "403", description = "Messages need the role staff")
  @ApiResponse(responseCode = "404", description = "No bulk action has this id")
  @ApiResponse(responseCode = "409", description = "It has ended, or was never confirmed")
  Reply<View> undo(Authentication by, String id) {
    desk.undo(Actor.of(by), id);
    return Reply.ok("Stopped", view(by, desk.get(id), false));
  }

  private Reply<Progress> progress(Authentication by, String id, long after, int most) {
    var action = desk.get(id);
    var page = desk.targets(id, after, most);
    return Reply.page(
        new Progress(
            view(by, action, after < 0),
            page.targets().stream().map(it -> result(it.row())).toList()),
        page.next());
  }

  private static ResultView result(JdbcBulk.Target row) {
    return new ResultView(
        row.participantId(),
        row.status().word(),
        row.reason() == null ? null : row.reason().word(),
        row.messageId(),
        row.endedAt());
  }

  private View view(Authentication by, BulkDesk.Action action, boolean estimated) {
    var estimate =
        estimated && action.status() == BulkStatus.PREVIEWED
            ? estimates.of(action, by.getName()).orElse(null)
            : null;
    var cost = estimate == null ? null : estimate.cost().orElse(null);
    return new View(
        action.id(),
        action.kind().word(),
        action.status().word(),
        action.words(),
        action.tag(),
        action.version(),
        action.by(),
        action.createdAt(),
        action.beginsAt(),
        action.endedAt(),
        action.endedBy(),
        action.count(BulkTargetStatus.WAITING),
        action.count(BulkTargetStatus.DONE),
        action.count(BulkTargetStatus.EXCLUDED),
        action.count(BulkTargetStatus.UNDONE),
        action.count(BulkTargetStatus.FAILED),
        estimate == null ? null : estimate.segments(),
        cost,
        estimate == null || cost == null || estimate.currency().isEmpty()
            ? null
            : estimate.currency());
  }
}
