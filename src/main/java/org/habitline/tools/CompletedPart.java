package org.habitline.tools;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Instant;
import org.habitline.flows.Flow;

/**
 * Stamps the part of the profile that a module with fields of its own has completed: when its
 * required fields have all got values, and whenever it hands over (seed 000).
 */
final class CompletedPart {

  private CompletedPart() {}

  /** Returns whether a module's part has just become complete: nothing is missing, no stamp yet. */
  static boolean isNew(Flow flow, String module, Profile profile) {
    return flow.profile().stream()
            .anyMatch(field -> module.equals(field.module()) && field.required())
        && !profile.completed().containsKey(module)
        && flow.module(module)
            .filter(it -> ProfileStatus.missing(flow, it, profile).isEmpty())
            .isPresent();
  }

  /** Returns the change of the stamp, as kept in the change log. */
  static Effect.Change change(Profile before, String module, Instant now) {
    var stamp = before.completed().get(module);
    return new Effect.Change(
        "completed_at." + module,
        stamp == null ? NullNode.getInstance() : TextNode.valueOf(stamp.toString()),
        TextNode.valueOf(now.toString()));
  }
}
