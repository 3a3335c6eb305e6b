package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Map;
import org.habitline.messaging.simulator.SimulatedPhones;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Reply;

/** Sends texts from a simulated phone and lists what arrived on it. */
@Controller("/simulator/{id}/texts")
@Secured("staff")
@Tag(name = "Simulator")
final class SimulatorController {

  private final EnrolmentDesk desk;
  private final PhoneDesk phone;
  private final SimulatedPhones phones;
  private final ReadLog reads;

  SimulatorController(EnrolmentDesk desk, PhoneDesk phone, SimulatedPhones phones, ReadLog reads) {
    this.reads = reads;
    this.desk = desk;
    this.phone = phone;
    this.phones = phones;
  }

  /** A text to send; with the same {@code id}, sending it twice stores it once. */
  @Introspected
  record TextRequest(@Nullable String text, @Nullable String id) {}

  @Post
  @Operation(
      operationId = "sendSimulatorText",
      summary = "Sends a text from the simulated phone of a participant")
  @ApiResponse(
      responseCode = "202",
      description = "Stored, or recognised as a repetition of the same id; the reply follows",
      useReturnTypeSchema = true)
  @ApiResponse(
      responseCode = "400",
      description = "The text is blank or too long, or the participant has no simulated phone")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  HttpResponse<Reply<Map<String, String>>> text(String id, @Body TextRequest request) {
    var outcome = phone.text(desk.participant(id), request.text(), request.id());
    return HttpResponse.accepted().body(Reply.ok(Map.of("text", outcome)));
  }

  @Get
  @Operation(
      operationId = "listSimulatorTexts",
      summary = "Lists the messages on the simulated phone, oldest first: the newest 200 at most")
  @ApiResponse(responseCode = "200", description = "The messages")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<List<SimulatedPhones.Text>> texts(Authentication by, String id) {
    var participant = desk.participant(id);
    reads.conversation(by, participant.id());
    return Reply.ok(phones.texts(participant.id(), Paging.MOST));
  }
}
