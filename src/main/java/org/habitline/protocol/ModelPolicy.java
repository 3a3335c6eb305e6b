package org.habitline.protocol;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/**
 * What a study does when a server answers with another model than the one asked: the keys {@code
 * model_policy} and {@code model_snapshots} of {@code config/study.yaml}.
 *
 * @param action what is done
 * @param snapshots names that may come back for any model that is asked
 */
public record ModelPolicy(Action action, Set<String> snapshots) {

  /** The end of a dated snapshot's name after the name that was asked. */
  private static final Pattern DATED = Pattern.compile("-\\d{4}-\\d{2}-\\d{2}");

  private static final int LONGEST = 200;

  public ModelPolicy {
    snapshots = Set.copyOf(snapshots);
  }

  /** What is done with the reply of another model. */
  public enum Action {
    /** It is used, and recorded as the reply of another model. */
    REPORT,
    /** It is treated as no reply, so that the participant gets the flow's own text. */
    REFUSE;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the policy of a study that says nothing. */
  static ModelPolicy usual() {
    return new ModelPolicy(Action.REPORT, Set.of());
  }

  static ModelPolicy read(Section study) {
    var action = study.has("model_policy") ? study.text("model_policy", LONGEST) : "report";
    if (!action.isEmpty() && Stream.of(Action.values()).noneMatch(it -> it.word().equals(action))) {
      study.refuse("model_policy", "expected report or refuse, found '" + action + "'");
    }
    return new ModelPolicy(
        action.equals(Action.REFUSE.word()) ? Action.REFUSE : Action.REPORT,
        Set.copyOf(study.optionalTexts("model_snapshots", LONGEST)));
  }

  /**
   * Returns whether a server's answer comes from the model that was asked: the server names no
   * model, that one, a snapshot of it by date such as {@code gpt-5-2025-08-07}, or one that the
   * study declares.
   */
  public boolean allows(String asked, @Nullable String returned) {
    return returned == null
        || returned.isEmpty()
        || returned.equals(asked)
        || snapshots.contains(returned)
        || (returned.startsWith(asked)
            && DATED.matcher(returned.substring(asked.length())).matches());
  }

  /** Returns what applies, in one sentence. */
  public String sentence() {
    return (action == Action.REFUSE
            ? "The reply of another model than the one asked is refused"
            : "The reply of another model than the one asked is used and reported")
        + (snapshots.isEmpty()
            ? "."
            : "; these names may come back: " + String.join(", ", new TreeSet<>(snapshots)) + ".");
  }
}
