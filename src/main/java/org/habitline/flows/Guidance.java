package org.habitline.flows;

/**
 * The last line of the status: what a module's model should do next.
 *
 * @param incomplete while a value is missing; of the module, or for a habit prompt if the module is
 *     shown those
 * @param complete when nothing is missing
 */
public record Guidance(String incomplete, String complete) {

  /** What a module is told if the flow does not say. */
  static final Guidance USUAL =
      new Guidance(
          "Something is missing: ask for it, one question at a time.",
          "Nothing is missing in this module.");
}
