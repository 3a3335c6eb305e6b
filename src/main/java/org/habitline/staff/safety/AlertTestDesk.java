package org.habitline.staff.safety;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.alerts.AlertTest;
import org.habitline.safety.alerts.AlertTestGap;
import org.habitline.safety.alerts.AlertTestRefused;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.alerts.TestAlerts;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;

/**
 * Sends and acknowledges test alerts, for the page and the REST API. Each change and its audit
 * entry are one transaction.
 */
@Singleton
final class AlertTestDesk {

  private final TestAlerts tests;
  private final Alerting alerting;
  private final AuditLog audit;
  private final Transactions transactions;

  AlertTestDesk(TestAlerts tests, Alerting alerting, AuditLog audit, Transactions transactions) {
    this.tests = tests;
    this.alerting = alerting;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * A test, and the alerts that it sent, by the order of the rota.
   *
   * @param missing what it lacks; empty once it passed
   */
  record Report(AlertTest test, List<AlertTestGap> missing, List<Alert> alerts) {}

  /**
   * Sends a test alert to everybody on the rota.
   *
   * @throws ApiProblem 409 if the study names nobody to alert
   */
  Report start(Actor actor) {
    try {
      return transactions.write(() -> {
        var test = tests.start(actor.name());
        audit.record(
            AuditEntry.of(actor.name(), actor.role(), AuditAction.TEST_ALERT_SENT)
                .about(test.id()));
        return report(test);
      });
    } catch (AlertTestRefused refused) {
      throw ApiProblem.conflict(String.valueOf(refused.getMessage()));
    }
  }

  /**
   * Records that the caller saw a test alert.
   *
   * @throws ApiProblem 404 if there is no such test, 409 if somebody acknowledged it before
   */
  Report acknowledge(Actor actor, String id) {
    try {
      return transactions.write(() -> {
        var test =
            tests
                .acknowledge(id, actor.name())
                .orElseThrow(() -> ApiProblem.notFound("There is no test alert with this id."));
        audit.record(
            AuditEntry.of(actor.name(), actor.role(), AuditAction.TEST_ALERT_ACKNOWLEDGED)
                .about(id));
        return report(test);
      });
    } catch (AlertTestRefused refused) {
      throw ApiProblem.conflict(String.valueOf(refused.getMessage()));
    }
  }

  /** Returns that crisis alerts are not set up, and what to do, or empty. */
  Optional<String> unalerted() {
    return tests.unalerted();
  }

  /** Returns whether the study says whom to alert, and so whether a test can be sent. */
  boolean mayStart() {
    return alerting.isConfigured();
  }

  /** Returns the newest test, if there is one. */
  Optional<Report> newest() {
    return tests.newest().map(this::report);
  }

  /** Returns what staff must do about test alerts, in a sentence, or empty. */
  Optional<String> warning() {
    return tests.warning();
  }

  private Report report(AlertTest test) {
    return new Report(test, tests.missing(test), alerting.of(test.id()));
  }
}
