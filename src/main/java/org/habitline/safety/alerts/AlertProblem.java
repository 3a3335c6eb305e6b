package org.habitline.safety.alerts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What is wrong with alerts. */
public enum AlertProblem {
  /** An alert of an open incident has not arrived, or incidents are not looked at. */
  ALERT_FAILING,
  /** Somebody is alerted by SMS, and no sender for SMS is configured. */
  SMS_SENDER_MISSING,
  /** The number of somebody on the rota opted out. */
  NUMBER_OPTED_OUT,
  /** {@code HABITLINE_PUBLIC_URL} is not set, so alerts hold no link. */
  PUBLIC_URL_MISSING,
  /** There is a time at which nobody on the rota is on duty. */
  NOBODY_ON_DUTY,
  /** Alerts go by one method only, so that no test alert can pass. */
  SECOND_METHOD_MISSING,
  /** No test alert passed, or the last one has not. */
  TEST_ALERT_MISSING;

  /** Returns whether alerts of a crisis do not arrive, now or at the next one. */
  public boolean keepsAlertsAway() {
    return switch (this) {
      case ALERT_FAILING, SMS_SENDER_MISSING, NUMBER_OPTED_OUT -> true;
      case PUBLIC_URL_MISSING, NOBODY_ON_DUTY, SECOND_METHOD_MISSING, TEST_ALERT_MISSING -> false;
    };
  }

  /** Returns the word used over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
