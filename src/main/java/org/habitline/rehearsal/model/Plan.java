package org.habitline.rehearsal.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The script's plan for a turn: calls in order until a decisive one fails, then a message. The
 * message is chosen when the results are known, so that it claims nothing that did not happen.
 */
record Plan(List<Act> acts, Function<Outcomes, String> words) {

  static Plan say(String words) {
    return new Plan(List.of(), outcomes -> words);
  }

  /** Returns the next call, or empty if the message is due. */
  Optional<Act> next(Outcomes outcomes) {
    var done = outcomes.all().size();
    var failed =
        IntStream.range(0, Math.min(done, acts.size()))
            .anyMatch(number -> acts.get(number).decisive() && !outcomes.all().get(number).good());
    return failed || done >= acts.size() ? Optional.empty() : Optional.of(acts.get(done));
  }

  /**
   * Returns the calls of the next answer; empty if the message is due.
   *
   * @param parallel whether one answer may hold several calls
   */
  List<Act> due(Outcomes outcomes, boolean parallel) {
    var next = next(outcomes);
    if (next.isEmpty() || !parallel) {
      return next.stream().toList();
    }
    var first = outcomes.all().size();
    return Stream.concat(next.stream(), acts.stream().skip(first + 1L).takeWhile(Act::beside))
        .toList();
  }

  /** Returns this plan with one more call at its end, if there is a tool for it. */
  Plan and(Optional<Act> act) {
    return new Plan(Stream.concat(acts.stream(), act.stream()).toList(), words);
  }

  /** Returns the calls among these that the offered tools allow. */
  static List<Act> acts(List<Optional<Act>> acts) {
    return acts.stream().flatMap(Optional::stream).toList();
  }
}
