package org.habitline.conversation.stored;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import org.habitline.tools.Effect;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the profile for a change of staff. Both join the running transaction, in which
 * no turn of the participant may begin.
 */
@Singleton
public final class ProfileWriter {

  private final JdbcStates states;
  private final ProfileJson profiles;
  private final Clock clock;

  ProfileWriter(JdbcStates states, ProfileJson profiles, Clock clock) {
    this.states = states;
    this.profiles = profiles;
    this.clock = clock;
  }

  /**
   * Returns the stored profile, or an empty one.
   *
   * @throws UnreadableProfile if it cannot be read
   */
  public Profile read(Situation situation) {
    var stored = situation.data().get(StateKeys.USER_PROFILE);
    return (stored == null ? profiles.empty(clock.instant()) : profiles.read(stored))
        .counted(situation.row().successCount(), situation.row().totalPrompts());
  }

  /** Stores a profile, and each change under the name of the staff member. */
  public void write(Situation situation, Profile profile, List<Effect.Change> changes, String by) {
    var id = situation.lease().participantId();
    var now = clock.instant();
    states.put(id, StateKeys.USER_PROFILE, profiles.write(profile), now);
    states.saveAll(
        changes.stream()
            .map(change ->
                new JdbcStates.ProfileChange(
                    null,
                    id,
                    null,
                    change.field(),
                    text(change.before()),
                    text(change.after()),
                    now,
                    by))
            .toList());
  }

  private static @Nullable String text(JsonNode value) {
    return value.isNull() ? null : TurnJson.write(value);
  }
}
