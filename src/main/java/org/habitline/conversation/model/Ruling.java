package org.habitline.conversation.model;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.habitline.conversation.stored.Iteration;

/**
 * What the gates decided about the text of one model call. It is recorded with the call, so that a
 * resumed turn decides the same.
 */
sealed interface Ruling {

  String VERSION = "gate_version";
  String VERDICT = "gate_verdict";
  String RESULT = "gate_result";
  String NOTE = "gate_note";

  String PASS = "pass";
  String RETRIED = "retried";
  String WITHHELD = "withheld";

  /** The text may be sent. */
  record Passed() implements Ruling {}

  /**
   * The model is asked once more.
   *
   * @param note the instruction for the model
   */
  record Again(String gate, String note) implements Ruling {}

  /** The text is not sent, and the model is not asked again. */
  record Withheld(String gate) implements Ruling {
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
      case Again(var gate, var note) ->
          metadata.putAll(Map.of(VERDICT, gate, RESULT, RETRIED, NOTE, note));
      case Withheld(var gate) -> metadata.putAll(Map.of(VERDICT, gate, RESULT, WITHHELD));
    }
    return iteration.with(metadata);
  }
}
