package org.habitline.rehearsal.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the script does in a turn: calls one after the other until a decisive one fails, then words.
 * The words are chosen when the results are known, so that they claim nothing that did not happen.
 */
record Plan(List<Act> acts, Function<Outcomes, String> words) {

  static Plan say(String words) {
    return new Plan(List.of(), outcomes -> words);
  }

  /** The next call, or empty if it is time to speak. */
  Optional<Act> next(Outcomes outcomes) {
    var done = outcomes.all().size();
    var failed =
        IntStream.range(0, Math.min(done, acts.size()))
            .anyMatch(number -> acts.get(number).decisive() && !outcomes.all().get(number).good());
    return failed || done >= acts.size() ? Optional.empty() : Optional.of(acts.get(done));
  }

  /** This plan, and one more call at its end if there is a tool for it. */
  Plan and(Optional<Act> act) {
    return new Plan(Stream.concat(acts.stream(), act.stream()).toList(), words);
  }

  /** The acts among these that can be done with the tools offered. */
  static List<Act> acts(List<Optional<Act>> acts) {
    return acts.stream().flatMap(Optional::stream).toList();
  }
}
