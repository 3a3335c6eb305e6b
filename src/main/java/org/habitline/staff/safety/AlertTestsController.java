package org.habitline.staff.safety;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.habitline.safety.alerts.AlertTest;
import org.habitline.safety.alerts.AlertTestGap;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Sends test alerts, and records who saw them. */
@Controller("/alerting")
@Secured("safety")
@Tag(name = "Safety")
final class AlertTestsController {

  private final AlertTestDesk desk;

  AlertTestsController(AlertTestDesk desk) {
    this.desk = desk;
  }

  /**
   * A test alert. Times are system time.
   *
   * @param startedBy who sent it; habitline for the weekly one
   * @param passedAt when it had been acknowledged and sent by two methods; from then on, real
   *     channels are used
   * @param missing what it lacks; empty once it passed
   * @param alerts whom it alerted; round is the place on the rota
   */
  @Introspected
  @Schema(name = "AlertTest")
  record TestView(
      String id,
      Instant startedAt,
      String startedBy,
      @Nullable Instant acknowledgedAt,
      @Nullable String acknowledgedBy,
      @Nullable Instant passedAt,
      List<AlertTestGap> missing,
      List<IncidentsController.AlertView> alerts) {

    static TestView of(AlertTestDesk.Report report) {
      AlertTest test = report.test();
      return new TestView(
          test.id(),
          test.startedAt(),
          test.startedBy(),
          test.acknowledgedAt(),
          test.acknowledgedBy(),
          test.passedAt(),
          report.missing(),
          report.alerts().stream().map(IncidentsController.AlertView::of).toList());
    }
  }

  @Post("/test")
  @Operation(
      operationId = "sendTestAlert",
      summary = "Sends a test alert to everyone on the rota, by all their methods",
      description =
          "Real channels are off until a test alert was acknowledged and had been sent on two"
              + " methods.")
  @ApiResponse(
      responseCode = "201",
      description = "The test alert is being sent",
      useReturnTypeSchema = true)
  @ApiResponse(responseCode = "409", description = "config/study.yaml names no one to alert")
  HttpResponse<Reply<TestView>> send(Authentication by) {
    return HttpResponse.created(Reply.ok("Test alert sent", TestView.of(desk.start(Actor.of(by)))));
  }

  @Post("/tests/{id}/acknowledge")
  @Operation(operationId = "acknowledgeTestAlert", summary = "Records that you saw a test alert")
  @ApiResponse(responseCode = "200", description = "The test alert is acknowledged")
  @ApiResponse(responseCode = "404", description = "No test alert has this id")
  @ApiResponse(responseCode = "409", description = "Someone has acknowledged it already")
  Reply<TestView> acknowledge(Authentication by, String id) {
    return Reply.ok("Test alert acknowledged", TestView.of(desk.acknowledge(Actor.of(by), id)));
  }
}
