package org.habitline.ops.health;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import java.util.Locale;
import org.habitline.safety.alerts.AlertProblem;
import org.habitline.safety.alerts.AlertWarning;
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
  record AlertingView(String status, List<AlertProblem> problems) {}

  @Get
  HttpResponse<AlertingView> alerting() {
    try {
      // Without the sentences, which name people on the rota.
      var problems = alerting.warnings().stream().map(AlertWarning::problem).distinct().toList();
      return answer(status(problems), problems);
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return answer(Status.FAILING, List.of());
    }
  }

  private static HttpResponse<AlertingView> answer(Status status, List<AlertProblem> problems) {
    return HttpResponse.status(status.http()).body(new AlertingView(status.word(), problems));
  }

  private Status status(List<AlertProblem> problems) {
    if (!alerting.isConfigured()) {
      return Status.NOT_CONFIGURED;
    }
    if (problems.stream().anyMatch(AlertProblem::keepsAlertsAway)) {
      return Status.FAILING;
    }
    return tests.isUntested() ? Status.UNTESTED : Status.WORKING;
  }
}
