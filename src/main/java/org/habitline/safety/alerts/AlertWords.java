package org.habitline.safety.alerts;

import org.jspecify.annotations.Nullable;

/**
 * What an alert says. It holds no word of the participant, and nothing by which somebody who reads
 * it on a locked telephone could tell who it is about.
 *
 * @param id stays the same if the alert is sent again
 * @param about the incident or the test; of a grant, the sentence that tells it
 * @param link the page to open, or {@code null} if the public address is not set
 */
record AlertWords(String id, String about, int round, Why why, @Nullable String link) {

  /** Why somebody is alerted. */
  enum Why {
    /** A sign of danger. */
    DANGER,
    /** The coach flagged something urgent that is no sign of danger. */
    URGENT_FLAG,
    /** To see that alerts arrive. */
    TEST,
    /** The role safety was granted. */
    GRANT
  }

  /** Where to look, in an alert without a link. */
  static final String WHERE = "Open Habitline and choose Safety.";

  private static final String AUTOMATIC =
      "This message is automatic. Replies to it are not read.\n";

  /** Returns the link, or in words where to look. */
  String where() {
    return link == null ? WHERE : link;
  }

  String subject() {
    var still = round == 0 ? "" : " (still open)";
    return switch (why) {
      case DANGER -> "Habitline: a participant may be in danger" + still;
      case URGENT_FLAG -> "Habitline: an urgent flag about a participant" + still;
      case TEST -> "Habitline: test alert";
      case GRANT -> "Habitline: the role safety was granted";
    };
  }

  String body() {
    return switch (why) {
      case DANGER -> body("A participant may be in danger");
      case URGENT_FLAG -> body("The coach flagged something urgent about a participant");
      case TEST ->
          "This is a test alert. No one is in danger.\n\n"
              + "Acknowledge it, so that everyone knows that alerts arrive:\n"
              + where()
              + "\n\n"
              + AUTOMATIC;
      case GRANT ->
          about
              + "\n\n"
              + "This role reads, acknowledges and releases safety incidents. If you did not expect"
              + " this, ask an admin: the audit log has the entry.\n\n"
              + AUTOMATIC;
    };
  }

  private String body(String happened) {
    return happened
        + ", and no one has acknowledged the incident yet.\n\n"
        + "Open the incident, acknowledge it, and follow your study's protocol:\n"
        + where()
        + "\n\n"
        + (round == 0 ? "" : "This is alert number " + (round + 1) + " of this incident.\n\n")
        + AUTOMATIC;
  }

  /** Returns the alert as an SMS, in the characters that cost least. */
  String sms() {
    return why == Why.TEST
        ? subject() + ". No one is in danger. Acknowledge it: " + where()
        : subject() + ". Open the incident and acknowledge it: " + where();
  }
}
