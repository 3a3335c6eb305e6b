package org.habitline.flows;

/** Tells a flow's reader which words cannot be replies, because they are keywords such as STOP. */
@FunctionalInterface
public interface TakenWords {

  /** Returns whether a text, as a whole message, asks for STOP, START or HELP in any language. */
  boolean isTaken(String text);
}
