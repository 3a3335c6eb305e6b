package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.server.types.files.StreamedFile;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.habitline.conversation.stored.RecordReader;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;

/** Shows what tools keep of a participant, such as exports and tasks. Read from the database. */
@Controller("/conversation/participants/{id}/records")
@Secured("researcher")
@Tag(name = "Conversations")
final class RecordsController {

  private final EnrolmentDesk desk;
  private final RecordReader records;
  private final ReadLog reads;

  RecordsController(EnrolmentDesk desk, RecordReader records, ReadLog reads) {
    this.desk = desk;
    this.records = records;
    this.reads = reads;
  }

  /**
   * One record.
   *
   * @param createdAt when a turn stored it first
   * @param updatedAt when a turn changed it last
   */
  @Introspected
  record RecordView(
      String kind,
      String recordId,
      @Schema(ref = "#/components/schemas/JsonValue") Object content,
      Instant createdAt,
      Instant updatedAt) {

    static RecordView of(RecordReader.StoredRecord record) {
      return new RecordView(
          record.key().kind(),
          record.key().id(),
          record.json(),
          record.createdAt(),
          record.updatedAt());
    }
  }

  @Get
  @Operation(
      operationId = "listRecords",
      summary = "Lists what tools keep of the participant, such as exports and tasks",
      description =
          "By kind, and then by id. Kinds are export, with the conversation's id, and task. The kind"
              + " counter holds the number of the next task.")
  @ApiResponse(responseCode = "200", description = "All records")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<List<RecordView>> list(Authentication by, String id) {
    return Reply.ok(
        records.byKind(read(by, id).id()).values().stream()
            .flatMap(List::stream)
            .map(RecordView::of)
            .toList());
  }

  @Get("/{kind}/{recordId}")
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "downloadRecord",
      summary = "Downloads one record, such as an exported form",
      description =
          "An export is downloaded as it was stored last, also if the file in the folder exports is"
              + " missing or on another node.")
  @ApiResponse(
      responseCode = "200",
      description = "The record's content, as a file",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/JsonValue")))
  @ApiResponse(
      responseCode = "404",
      description = "No participant has this id, or there is no such record")
  StreamedFile download(Authentication by, String id, String kind, String recordId) {
    var content =
        records
            .content(read(by, id).id(), kind, recordId)
            .orElseThrow(() ->
                ApiProblem.notFound(
                    "This participant has no such record; GET …/records lists them."));
    return new StreamedFile(
            new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8)),
            MediaType.APPLICATION_JSON_TYPE)
        .attach(recordId + ".json");
  }

  private Participant read(Authentication by, String id) {
    var participant = desk.participant(id);
    reads.conversation(by, participant.id());
    return participant;
  }
}
