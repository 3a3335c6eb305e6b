package org.habitline.flows;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * One flow file.
 *
 * @param at where it is, for messages, such as {@code config/flows/habit/flow.yaml}
 * @param folder the name of the flow's folder
 * @param yaml returns its text, or throws {@link BrokenFlow} if it has none that can be read
 * @param languages returns the text of each file in the folder {@code languages}, or throws {@link
 *     BrokenFlow}, by the file's name without its ending
 * @param phrases returns the text of {@code rehearsal.yaml} in the flow's folder, or throws {@link
 *     BrokenFlow}; empty without such a file
 */
record FlowFile(
    String at,
    String folder,
    Supplier<String> yaml,
    Optional<Supplier<String>> phrases,
    SortedMap<String, Supplier<String>> languages) {

  FlowFile {
    languages = Collections.unmodifiableSortedMap(new TreeMap<>(languages));
  }

  /** Creates the file of a flow in one language. */
  FlowFile(String at, String folder, Supplier<String> yaml, Optional<Supplier<String>> phrases) {
    this(at, folder, yaml, phrases, Collections.emptySortedMap());
  }

  /** Returns where a file of the flow's languages is, for messages. */
  String languageAt(String language) {
    return at.substring(0, at.lastIndexOf('/') + 1)
        + FlowFiles.LANGUAGES
        + "/"
        + language
        + FlowFiles.YAML;
  }

  /** Returns where the flow's {@code rehearsal.yaml} is, for messages. */
  String phrasesAt() {
    return at.substring(0, at.lastIndexOf('/') + 1) + FlowFiles.PHRASES;
  }

  /** Returns whether this is the file of the flow of this name. */
  boolean isOf(String name) {
    return folder.equals(name);
  }
}
