package org.habitline.safety.opinions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a second opinion is about.
 *
 * @param coach the coach's last message, without which a short answer cannot be understood, or
 *     {@code null}
 * @param participant the participant's texts of the turn, oldest first
 */
public record Words(@Nullable String coach, List<String> participant) {
  public Words {
    participant = List.copyOf(participant);
  }

  /** Returns its length only, so that no log repeats what somebody wrote. */
  @Override
  public String toString() {
    return participant.size() + " texts";
  }
}
