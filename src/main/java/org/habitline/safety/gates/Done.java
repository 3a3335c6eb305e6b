package org.habitline.safety.gates;

import java.time.LocalTime;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What has been done when a text was written.
 *
 * @param calls the successful tool calls of the turn, each by its name, by its name with its
 *     action, and by its name with each argument it was given, such as {@code add_task}, {@code
 *     scheduler create} and {@code save_user_profile ask_intensity}; also those that had nothing to
 *     change
 * @param outside whether a tool of another server succeeded in the turn; the gates cannot know what
 *     it did, so it backs every claim
 * @param scheduled the participant's schedules as the turn leaves them
 * @param passages what the turn's searches found
 * @param language the language to write in as the turn leaves it; {@code null} is the flow's
 */
public record Done(
    Set<String> calls,
    boolean outside,
    List<Scheduled> scheduled,
    List<String> passages,
    @Nullable String language) {

  /** Nothing was done, and nothing is scheduled. */
  public static final Done NOTHING = new Done(Set.of(), false, List.of(), List.of());

  /**
   * The local times at which a schedule sends its prompt.
   *
   * @param from the earliest time
   * @param to the latest time; the same for a fixed one
   * @param next the time of the next prompt
   */
  public record Scheduled(LocalTime from, LocalTime to, LocalTime next) {}

  public Done {
    calls = Set.copyOf(calls);
    scheduled = List.copyOf(scheduled);
    passages = List.copyOf(passages);
  }

  /** Creates what was done for somebody who is written to in the flow's language. */
  public Done(
      Set<String> calls, boolean outside, List<Scheduled> scheduled, List<String> passages) {
    this(calls, outside, scheduled, passages, null);
  }
}
