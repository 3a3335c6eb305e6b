package org.habitline.safety.alerts;

import org.jspecify.annotations.Nullable;

/**
 * What an alert says. It holds no word of the participant, and nothing by which somebody who reads
 * it on a locked telephone could tell who it is about.
 *
 * @param id stays the same if the alert is sent again
 * @param about the incident, or the test
 * @param test whether it is a test
 * @param link the page to open, or {@code null} if the public address is not set
 */
record AlertWords(String id, String about, int round, boolean test, @Nullable String link) {

  /** Where to look, in an alert without a link. */
  static final String WHERE = "Open Habitline and choose Safety.";

  /** Returns the link, or in words where to look. */
  String where() {
    return link == null ? WHERE : link;
  }

  String subject() {
    return test
        ? "Habitline: test alert"
        : "Habitline: a participant may be in danger" + (round == 0 ? "" : " (still open)");
  }

  String body() {
    return test
        ? "This is a test alert. Nobody is in danger.\n\n"
            + "Acknowledge it, so that everyone knows that alerts arrive:\n"
            + where()
            + "\n\nThis message is automatic. Replies to it are not read.\n"
        : "A participant may be in danger, and nobody has acknowledged the incident yet.\n\n"
            + "Open the incident, acknowledge it, and follow your study's protocol:\n"
            + where()
            + "\n\n"
            + (round == 0 ? "" : "This is alert number " + (round + 1) + " of this incident.\n\n")
            + "This message is automatic. Replies to it are not read.\n";
  }

  /** Returns the alert as an SMS, in the characters that cost least. */
  String sms() {
    return test
        ? subject() + ". Nobody is in danger. Acknowledge it: " + where()
        : subject() + ". Open the incident and acknowledge it: " + where();
  }
}
