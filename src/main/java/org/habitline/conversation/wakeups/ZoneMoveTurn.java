package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.Closing;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;
import org.habitline.timers.WakeupKind;

/** Changes a participant's time zone on the day that they announced. Sends nothing. */
@Singleton
final class ZoneMoveTurn implements WakeupTurn {

  private final Participants participants;

  ZoneMoveTurn(Participants participants) {
    this.participants = participants;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.ZONE_MOVE);
  }

  /** A participant who may not be messaged now lives there all the same. */
  @Override
  public boolean recordsWhyNothingWasSent() {
    return true;
  }

  @Override
  public Closing close(DueWakeup due) {
    var move = due.claim().participant().move();
    if (move == null) {
      return due.drop("no move to another time zone is planned any more");
    }
    return Closing.woke(
        due.claim(),
        Outcome.WOKE,
        null,
        List.of(),
        List.of(),
        claim -> {
          participants.update(claim.participant().id(), ParticipantChange.ofZone(move.to()));
          return true;
        },
        due.journal());
  }
}
