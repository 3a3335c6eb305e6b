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
import org.habitline.safety.alerts.TestAlerts;

/** Says whether alerts of crises are sent, for an external monitor. */
@Hidden
@Controller("/health/alerting")
@Secured(SecurityRule.IS_ANONYMOUS)
final class AlertingController {

  private final Alerting alerting;
  private final TestAlerts tests;

  AlertingController(Alerting alerting, TestAlerts tests) {
    this.alerting = alerting;
    this.tests = tests;
  }

  /** Whether alerts of crises are sent. */
  private enum Status {
    WORKING,
    NOT_CONFIGURED,
    UNTESTED,
    FAILING;

    private HttpStatus http() {
      return switch (this) {
        case WORKING, NOT_CONFIGURED -> HttpStatus.OK;
        case UNTESTED, FAILING -> HttpStatus.SERVICE_UNAVAILABLE;
      };
    }

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
    return HttpResponse.status(status.http()).body(new AlertingView(status.word()));
  }

  private Status status() {
    try {
      if (alerting.isFailing()) {
        return Status.FAILING;
      }
      if (!alerting.isConfigured()) {
        return Status.NOT_CONFIGURED;
      }
      return tests.isUntested() ? Status.UNTESTED : Status.WORKING;
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return Status.FAILING;
    }
  }
}
