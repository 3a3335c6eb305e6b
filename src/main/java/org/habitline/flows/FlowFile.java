package org.habitline.flows;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * One flow file.
 *
 * @param at where it is, for messages, such as {@code config/flows/habit/flow.yaml}
 * @param folder the name of the flow's folder, or empty for a single file in {@code config/flows}
 * @param yaml returns its text, or throws {@link BrokenFlow} if it has none that can be read
 * @param phrases returns the text of {@code rehearsal.yaml} in the flow's folder, or throws {@link
 *     BrokenFlow}; empty without such a file
 */
record FlowFile(
    String at, Optional<String> folder, Supplier<String> yaml, Optional<Supplier<String>> phrases) {

  /** Returns where the flow's {@code rehearsal.yaml} is, for messages. */
  String phrasesAt() {
    return at.substring(0, at.lastIndexOf('/') + 1) + FlowFiles.PHRASES;
  }

  /** Returns whether this is the file of the flow of this name. */
  boolean isOf(String name) {
    return folder.isPresent()
        ? folder.get().equals(name)
        : at.equals(FlowFiles.FLOWS + "/" + name + FlowFiles.YAML);
  }
}
