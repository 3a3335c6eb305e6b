package org.habitline.flows;

import java.util.Optional;

/**
 * The text of one flow file.
 *
 * @param at where it is, for messages, such as {@code config/flows/habit/flow.yaml}
 * @param folder the name of the flow's folder, or empty for a single file in {@code config/flows}
 * @param phrases the text of {@code rehearsal.yaml} in the flow's folder, or empty without one
 */
record FlowFile(String at, Optional<String> folder, String yaml, Optional<String> phrases) {

  /** Returns where the flow's {@code rehearsal.yaml} is, for messages. */
  String phrasesAt() {
    return at.substring(0, at.lastIndexOf('/') + 1) + FlowFiles.PHRASES;
  }
}
