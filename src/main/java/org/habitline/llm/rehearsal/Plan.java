package org.habitline.llm.rehearsal;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the script does in a turn: calls one after the other until one fails, then words. The words
 * are chosen when the results are known, so that they claim nothing that did not happen.
 */
record Plan(List<Act> acts, Function<Outcomes, String> words) {

  static Plan say(String words) {
    return new Plan(List.of(), outcomes -> words);
  }

  /** The acts among these that can be done with the tools offered. */
  static List<Act> acts(List<Optional<Act>> acts) {
    return acts.stream().flatMap(Optional::stream).toList();
  }
}
