package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Instant;
import org.habitline.participants.Participant;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.Records;
import org.habitline.tools.UnreadableProfile;
import org.habitline.tools.WorkingCopy;

/** Builds the working copy with which a turn, or a tool call outside a turn, begins. */
@Singleton
public final class WorkingCopies {

  private final ProfileJson profiles;
  private final RecordReader records;

  WorkingCopies(ProfileJson profiles, RecordReader records) {
    this.profiles = profiles;
    this.records = records;
  }

  /**
   * Returns what is stored about a participant. Contacts have no records.
   *
   * @param now study time, at which an empty profile begins
   * @throws UnreadableProfile if the stored profile cannot be read
   */
  public WorkingCopy of(Participant participant, String module, Claim.State state, Instant now) {
    return new WorkingCopy(
        module,
        null,
        participant.language(),
        profile(state, now),
        state.data().get(StateKeys.LAST_HABIT_PROMPT),
        state.data().get(StateKeys.PREPARED_PROMPT),
        state.schedules().agenda(),
        participant.contact() ? Records.NONE : records.all(participant.id()),
        state.schedules().recent());
  }

  /**
   * Returns the stored profile, or an empty one.
   *
   * @throws UnreadableProfile if it cannot be read
   */
  public Profile profile(Claim.State state, Instant now) {
    var stored = state.data().get(StateKeys.USER_PROFILE);
    return (stored == null ? profiles.empty(now) : profiles.read(stored))
        .counted(state.counters().successCount(), state.counters().totalPrompts());
  }
}
