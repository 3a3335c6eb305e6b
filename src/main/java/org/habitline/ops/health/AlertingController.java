package org.habitline.ops.health;

import com.fasterxml.jackson.annotation.JsonValue;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Locale;
import org.habitline.safety.alerts.Alerting;

/** Says whether alerts of crises leave, for a monitor outside that would notice if they do not. */
@Controller("/health/alerting")
@Secured(SecurityRule.IS_ANONYMOUS)
@Tag(name = "Health")
final class AlertingController {

  private final Alerting alerting;

  AlertingController(Alerting alerting) {
    this.alerting = alerting;
  }

  /** Whether alerts of crises leave. */
  enum Status {
    WORKING,
    NOT_CONFIGURED,
    FAILING;

    @JsonValue
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The answer. */
  @Introspected
  @Schema(name = "Alerting")
  record AlertingView(
      @Schema(
              type = "string",
              allowableValues = {"working", "not_configured", "failing"})
          Status status) {}

  @Get
  @Operation(
      operationId = "getAlerting",
      summary = "Says whether alerts of crises leave",
      description =
          "not_configured: config/study.yaml names nobody to alert. failing: an alert has not been"
              + " sent for more than two minutes, or the database cannot be read.")
  @ApiResponse(responseCode = "200", description = "Alerts leave, or none are configured")
  @ApiResponse(responseCode = "503", description = "Alerts do not leave")
  HttpResponse<AlertingView> alerting() {
    var status = status();
    return HttpResponse.status(
            status == Status.FAILING ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.OK)
        .body(new AlertingView(status));
  }

  private Status status() {
    if (!alerting.isConfigured()) {
      return Status.NOT_CONFIGURED;
    }
    try {
      return alerting.isWorking() ? Status.WORKING : Status.FAILING;
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return Status.FAILING;
    }
  }
}
