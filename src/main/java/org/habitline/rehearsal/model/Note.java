package org.habitline.rehearsal.model;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The profile values that a turn saves, and the words that report the result.
 *
 * @param wanted whether there is anything to save
 * @param act the call, or empty if there is nothing to save or no tool for it
 * @param acknowledgement the words after saving
 */
record Note(boolean wanted, Optional<Act> act, String acknowledgement) {

  static final Note NOTHING = new Note(false, Optional.empty(), "");

  /** Returns a note of the values that are new or differ from the profile. */
  static Note of(Scene scene, Map<String, String> learnt) {
    var fresh = new TreeMap<>(learnt);
    fresh
        .entrySet()
        .removeIf(field -> field.getValue().equals(scene.status().profile().get(field.getKey())));
    var tones = scene.heard().tones();
    if (fresh.isEmpty() && tones.isEmpty()) {
      return NOTHING;
    }
    var acknowledgement =
        fresh.isEmpty()
            ? Lines.TONE_NOTED
            : fresh.keySet().stream().anyMatch(scene.status()::knows)
                    && scene.heard().means(Meaning.CORRECTION)
                ? Lines.CHANGED
                : Lines.NOTED;
    return new Note(true, scene.tools().save(fresh, tones), acknowledgement);
  }

  Note acknowledgedBy(String words) {
    return new Note(wanted, act, words);
  }

  /** Returns whether the calls should have saved the note and did not. */
  boolean failed(Outcomes outcomes) {
    return act.isPresent() && !outcomes.did(Act.SAVE);
  }

  /**
   * Returns the words that report the saving, followed by the next question, or by the previous one
   * if saving failed.
   */
  String then(Outcomes outcomes, String next, String again) {
    if (failed(outcomes)) {
      return Aside.join(Lines.COULD_NOT_NOTE, again);
    }
    if (act.isPresent()) {
      return Aside.join(acknowledgement, next);
    }
    return Aside.join(wanted ? Lines.NOTHING_KEPT : "", next);
  }
}
