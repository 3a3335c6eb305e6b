package org.habitline.conversation.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.habitline.conversation.stored.Iteration;

/**
 * What the gates decided about the text of one model call. It is recorded with the call, so that a
 * resumed turn decides the same.
 */
public sealed interface Ruling {

  String VERSION = "gate_version";
  String VERDICT = "gate_verdict";
  String RESULT = "gate_result";
  String NOTE = "gate_note";

  String PASS = "pass";
  String RETRIED = "retried";
  String WITHHELD = "withheld";

  /** The results of a gate that blocks a text. */
  List<String> HITS = List.of(RETRIED, WITHHELD);

  /** The text may be sent. */
  record Passed() implements Ruling {}

  /** A gate blocks the text. */
  sealed interface Hit extends Ruling {

    /** Returns the gate that blocks it. */
    String gate();

    /** Returns one of {@link #HITS}. */
    default String result() {
      return this instanceof Again ? RETRIED : WITHHELD;
    }
  }

  /**
   * The model is asked once more.
   *
   * @param note the instruction for the model; it may hold words of the text, so it is never logged
   */
  record Again(String gate, String note) implements Hit {}

  /** The text is not sent, and the model is not asked again. */
  record Withheld(String gate) implements Hit {
    /** Returns the reason for staff. */
    String reason() {
      return "the gate '" + gate + "' withheld what the model wrote";
    }
  }

  /** Returns what is recorded with a model call, or empty if no gate looked at it. */
  static Optional<Ruling> of(Iteration iteration) {
    var metadata = iteration.metadata();
    var verdict = metadata.get(VERDICT);
    if (verdict == null) {
      return Optional.empty();
    }
    if (verdict.equals(PASS)) {
      return Optional.of(new Passed());
    }
    return Optional.of(
        RETRIED.equals(metadata.get(RESULT))
            ? new Again(verdict, metadata.getOrDefault(NOTE, ""))
            : new Withheld(verdict));
  }

  /** Returns a copy of a model call with this decision. */
  default Iteration recordedIn(Iteration iteration, String version) {
    var metadata = new TreeMap<>(iteration.metadata());
    metadata.put(VERSION, version);
    switch (this) {
      case Passed passed -> metadata.put(VERDICT, PASS);
      case Hit hit -> metadata.putAll(Map.of(VERDICT, hit.gate(), RESULT, hit.result()));
    }
    if (this instanceof Again again) {
      metadata.put(NOTE, again.note());
    }
    return iteration.with(metadata);
  }
}
