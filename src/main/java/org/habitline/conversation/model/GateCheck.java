package org.habitline.conversation.model;

import java.util.List;

/**
 * What the gates decided about one text.
 *
 * @param gate the gate that blocked it, or {@code none}
 * @param result {@code passed}, {@code retried} or {@code withheld}
 */
public record GateCheck(String gate, String result) {

  /** The results of a gate that blocks a text. */
  public static final List<String> HITS = List.of(Ruling.RETRIED, Ruling.WITHHELD);

  private static final String NO_GATE = "none";
  private static final String PASSED = "passed";

  static GateCheck of(Ruling ruling) {
    return switch (ruling) {
      case Ruling.Passed passed -> new GateCheck(NO_GATE, PASSED);
      case Ruling.Again(var gate, _) -> new GateCheck(gate, Ruling.RETRIED);
      case Ruling.Withheld(var gate) -> new GateCheck(gate, Ruling.WITHHELD);
    };
  }

  /** Returns whether a gate blocked the text. */
  public boolean isHit() {
    return !result.equals(PASSED);
  }
}
