package org.habitline.flows;

/**
 * The last line of the status: what a module's model should do next.
 *
 * @param incomplete while a required field of the module has no value, or a field that a habit
 *     prompt needs
 * @param complete when nothing is missing
 */
public record Guidance(String incomplete, String complete) {

  /** What a module is told if the flow does not say. */
  static final Guidance USUAL =
      new Guidance(
          "Something is missing: ask for it, one question at a time.",
          "Nothing is missing in this module.");
}
