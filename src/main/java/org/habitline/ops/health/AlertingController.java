package org.habitline.ops.health;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Locale;
import org.habitline.safety.alerts.Alerting;

/** Says whether alerts of crises are sent, for an external monitor. */
@Hidden
@Controller("/health/alerting")
@Secured(SecurityRule.IS_ANONYMOUS)
final class AlertingController {

  private final Alerting alerting;

  AlertingController(Alerting alerting) {
    this.alerting = alerting;
  }

  /** Whether alerts of crises are sent. */
  private enum Status {
    WORKING,
    NOT_CONFIGURED,
    FAILING;

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The answer, in the words of {@code api/by-hand.yml}. */
  @Introspected
  record AlertingView(String status) {}

  @Get
  HttpResponse<AlertingView> alerting() {
    var status = status();
    return HttpResponse.status(
            status == Status.FAILING ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.OK)
        .body(new AlertingView(status.word()));
  }

  private Status status() {
    try {
      if (alerting.isFailing()) {
        return Status.FAILING;
      }
      return alerting.isConfigured() ? Status.WORKING : Status.NOT_CONFIGURED;
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return Status.FAILING;
    }
  }
}
