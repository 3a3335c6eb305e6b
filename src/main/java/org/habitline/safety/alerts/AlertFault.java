package org.habitline.safety.alerts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Why an alert could not be sent. */
public enum AlertFault {
  /** No connection to the server was made, or it broke off. */
  UNREACHABLE,
  /** The server did not answer in time. */
  TOO_SLOW,
  /** The server refused the alert, or the name and password. */
  REFUSED,
  /** The alert cannot be sent with the present settings. */
  MISCONFIGURED,
  /** It goes by SMS, and no sender for SMS is configured. */
  NO_SENDER,
  /** The number opted out. */
  OPTED_OUT,
  /** The provider could not deliver it, or it was not sent in time. */
  UNDELIVERED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
