package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
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
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.IdempotentAnswers;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Lets staff keep notes about a participant. */
@Controller("/conversation/participants/{id}/notes")
@Secured("staff")
@Tag(name = "Participants")
@ApiResponse(responseCode = "404", description = "There is no such participant or note")
final class NotesController {

  private final Notes notes;
  private final ReadLog reads;
  private final IdempotentAnswers answers;

  NotesController(Notes notes, ReadLog reads, IdempotentAnswers answers) {
    this.notes = notes;
    this.reads = reads;
    this.answers = answers;
  }

  /** The text of a note. */
  @Introspected
  @Schema(name = "NoteText")
  record NoteRequest(
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 4000)
          String text) {}

  /**
   * A note of staff about a participant; times are study time.
   *
   * @param editedAt absent if it was not edited
   * @param editedBy who edited it last
   */
  @Introspected
  @Schema(name = "StaffNote")
  record NoteView(
      String id,
      String text,
      String author,
      Instant writtenAt,
      @Nullable Instant editedAt,
      @Nullable String editedBy) {

    static NoteView of(Notes.Note note) {
      return new NoteView(
          note.id(),
          note.text(),
          note.author(),
          note.writtenAt(),
          note.editedAt(),
          note.editedBy());
    }
  }

  @Get
  @Secured("researcher")
  @Operation(
      operationId = "listNotes",
      summary = "Lists the notes of staff about a participant, newest first",
      description = "Neither the participant nor a model is ever shown a note.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of notes; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<NoteView>> list(
      Authentication by,
      String id,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found = notes.newest(id, Paging.before(cursor), most + 1);
    reads.conversation(by, id);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(
        page.stream().map(NoteView::of).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  @Post
  @Operation(
      operationId = "addNote",
      summary = "Adds a note about a participant",
      description =
          "The audit log records who added it and its length, not its text. With an"
              + " Idempotency-Key, a repeated request adds the note once.")
  @ApiResponse(responseCode = "201", description = "The note", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "The text is blank or too long")
  @ApiResponse(
      responseCode = "410",
      description =
          "The participant of the first request with this Idempotency-Key has been erased, or the"
              + " note was edited or removed")
  @ApiResponse(
      responseCode = "422",
      description = "The Idempotency-Key was used with a different request before")
  @SuppressWarnings("unchecked") // a repeated answer is the same JSON, written before
  HttpResponse<Reply<NoteView>> add(
      Authentication by,
      String id,
      @Header("Idempotency-Key") @Nullable String idempotencyKey,
      @Body NoteRequest request) {
    return (HttpResponse<Reply<NoteView>>)
        answers.created(
            by,
            idempotencyKey,
            List.of("note", id, request),
            it -> "/conversation/participants/" + it + "/notes",
            () ->
                new IdempotentAnswers.Made(
                    id, Reply.ok(NoteView.of(notes.add(Actor.of(by), id, request.text())))));
  }

  @Put("/{noteId}")
  @Operation(operationId = "editNote", summary = "Replaces the text of a note")
  @ApiResponse(responseCode = "200", description = "The edited note")
  @ApiResponse(responseCode = "400", description = "The text is blank or too long")
  @ApiResponse(responseCode = "403", description = "Someone else wrote the note")
  Reply<NoteView> edit(Authentication by, String id, String noteId, @Body NoteRequest request) {
    return Reply.ok(NoteView.of(notes.edit(Actor.of(by), id, noteId, request.text())));
  }

  @Delete("/{noteId}")
  @Operation(operationId = "removeNote", summary = "Removes a note")
  @ApiResponse(responseCode = "200", description = "The note that was removed")
  @ApiResponse(responseCode = "403", description = "Someone else wrote the note")
  Reply<NoteView> remove(Authentication by, String id, String noteId) {
    return Reply.ok(NoteView.of(notes.remove(Actor.of(by), id, noteId)));
  }
}
