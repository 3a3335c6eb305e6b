package org.habitline.safety.alerts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * What a test alert lacks. It passes once it was acknowledged and sent by two methods, one of them
 * not Twilio; as SMS alone goes over Twilio, any two methods will do.
 */
public enum AlertTestGap {
  ACKNOWLEDGEMENT("an acknowledgement"),
  /** It was sent by no method. */
  TWO_METHODS("two methods by which it is sent, one of them not Twilio (e-mail or webhook)"),
  /** It was sent by SMS alone. */
  METHOD_OTHER_THAN_TWILIO("a method other than Twilio (e-mail or webhook) by which it is sent"),
  /** It was sent by e-mail or by webhook alone. */
  SECOND_METHOD("a second method by which it is sent");

  private final String title;

  AlertTestGap(String title) {
    this.title = title;
  }

  /** Returns what is missing, in words for staff. */
  public String title() {
    return title;
  }

  /** Returns the word used over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
