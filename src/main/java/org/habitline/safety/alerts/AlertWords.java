package org.habitline.safety.alerts;

/**
 * What an alert says. It holds no word of the participant, and nothing by which somebody who reads
 * it on a locked telephone could tell who it is about.
 *
 * @param id stays the same if the alert is sent again
 * @param link the incident's page, or its path if the public address is not set
 */
record AlertWords(String id, String incidentId, int round, String link) {

  String subject() {
    return "Habitline: a participant may be in danger" + (round == 0 ? "" : " (still open)");
  }

  String body() {
    return "A participant may be in danger, and nobody has acknowledged the incident yet.\n\n"
        + "Open the incident, acknowledge it, and follow your study's protocol:\n"
        + link
        + "\n\n"
        + (round == 0 ? "" : "This is alert number " + (round + 1) + " of this incident.\n\n")
        + "This message is automatic. Replies to it are not read.\n";
  }
}
