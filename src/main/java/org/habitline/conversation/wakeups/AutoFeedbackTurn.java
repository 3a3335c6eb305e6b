package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.conversation.turn.Closing;
import org.habitline.flows.DailyPrompt;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.timers.Occurrence;
import org.habitline.timers.WakeupKind;

/** Moves a participant to the module that asks for feedback, some time after a daily prompt. */
@Singleton
final class AutoFeedbackTurn implements WakeupTurn {

  private final Inbox inbox;

  AutoFeedbackTurn(Inbox inbox) {
    this.inbox = inbox;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.AUTO_FEEDBACK);
  }

  @Override
  public Closing close(DueWakeup due) {
    var to = Optional.ofNullable(due.flow().dailyPrompt()).map(DailyPrompt::feedbackState);
    if (to.isEmpty()) {
      return due.drop("the flow does not move participants automatically");
    }
    var key = Occurrence.Key.read(due.wakeup().guard());
    var standing = due.claim().state().schedules();
    if (!standing.isNewestPrompt(key)) {
      return due.drop("a newer prompt was sent");
    }
    if (standing.find(key).map(Occurrence::respondedAt).isPresent()
        || inbox.saysSomething(due.claim().participant().id())) {
      return due.drop("the participant replied");
    }
    return due.move(to.get(), "a daily prompt was sent", List.of());
  }
}
