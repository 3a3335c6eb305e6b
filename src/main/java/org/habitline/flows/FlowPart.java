package org.habitline.flows;

/** An optional part of a flow that a tool may need. */
public enum FlowPart {
  PROFILE("profile"),
  PROMPT_GENERATOR("prompt_generator"),
  DAILY_PROMPT("daily_prompt");

  private final String key;

  FlowPart(String key) {
    this.key = key;
  }

  /** Returns the key of the part in a flow file. */
  String key() {
    return key;
  }
}
