package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Stamps the part of the profile that a module with fields of its own has completed: when its
 * required fields have all got values, and whenever it hands over (seed 000). The stamp goes when
 * one of them loses its value.
 */
public final class CompletedPart {

  private CompletedPart() {}

  /**
   * Returns the effect that saves a profile, with the stamp that follows from its new values.
   *
   * @param changes of the fields
   */
  static Effect.SaveProfile save(
      ToolRun run, Profile before, Profile after, List<Effect.Change> changes) {
    return save(run.flow(), run.module(), before, after, changes, run.now());
  }

  /** Returns the effect that saves a profile, with the stamp of this module's part. */
  static Effect.SaveProfile save(
      Flow flow,
      String module,
      Profile before,
      Profile after,
      List<Effect.Change> changes,
      Instant now) {
    var was = isComplete(flow, module, before);
    var is = isComplete(flow, module, after);
    if (is && !(was && before.completed().containsKey(module))) {
      return stamped(after.completing(module, now), changes, before, module);
    }
    if (was && !is && before.completed().containsKey(module)) {
      return stamped(after.reopening(module, now), changes, before, module);
    }
    return new Effect.SaveProfile(after, changes);
  }

  /**
   * Returns the effect that stamps a module because it hands over, or none if the module has no
   * fields of its own.
   */
  public static Optional<Effect> handOver(Flow flow, String module, Profile before, Instant now) {
    return flow.ownsFields(module)
        ? Optional.of(stamped(before.completing(module, now), List.of(), before, module))
        : Optional.empty();
  }

  private static boolean isComplete(Flow flow, String module, Profile profile) {
    return flow.profile().stream()
            .anyMatch(field -> module.equals(field.module()) && field.required())
        && flow.module(module)
            .filter(it -> ProfileStatus.missing(flow, it, profile).isEmpty())
            .isPresent();
  }

  private static Effect.SaveProfile stamped(
      Profile after, List<Effect.Change> changes, Profile before, String module) {
    var old = json(before.completed().get(module));
    var now = json(after.completed().get(module));
    var all = new ArrayList<>(changes);
    if (!old.equals(now)) {
      all.add(new Effect.Change("completed_at." + module, old, now));
    }
    return new Effect.SaveProfile(after, List.copyOf(all));
  }

  private static JsonNode json(@Nullable Instant stamp) {
    return stamp == null ? NullNode.getInstance() : TextNode.valueOf(stamp.toString());
  }
}
