package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Optional;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.messaging.Inbox;
import org.habitline.messaging.SendingHours;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.Occurrence;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupKind;

/**
 * The guards of wake-ups: what a wake-up that rang may still do, now that its turn has come. Writes
 * nothing. Each guard is the one of its row in the table of timers.
 */
@Singleton
final class Wakings {

  private static final String FIRST_HINT =
      "The participant was sent a habit prompt and has not replied; ask once, in one sentence, how"
          + " it went.";
  private static final String SECOND_HINT =
      "The participant was asked how the habit prompt went and has still not replied; ask once"
          + " more, gently, in one sentence.";

  static final String WAITING_INITIAL = "waiting_initial";
  static final String FOLLOWUP_SENT = "followup_sent";
  static final String COMPLETED = "completed";

  /** Whoever wrote within this time is awake. */
  private static final Duration AWAKE = Duration.ofHours(1);

  private final Inbox inbox;
  private final TurnReader conversations;
  private final SteppingIn steppingIn;
  private final SendingHours hours;
  private final PromptTimes times;
  private final Clock clock;

  Wakings(
      Inbox inbox,
      TurnReader conversations,
      SteppingIn steppingIn,
      SendingHours hours,
      PromptTimes times,
      Clock clock) {
    this.inbox = inbox;
    this.conversations = conversations;
    this.steppingIn = steppingIn;
    this.hours = hours;
    this.times = times;
    this.clock = clock;
  }

  /** What is to be done. */
  sealed interface Due {

    /** Nothing, for a recorded reason. */
    record Drop(String reason, Deed deed) implements Due {}

    /** The prompt of an occurrence is written and sent. */
    record Prompt(Occurrence occurrence, DailyPrompt daily) implements Due {}

    /** What a script asked for is sent, or why it is not is written down. */
    record Scripted(Wakeup wakeup) implements Due {}

    /** The flow's reminder is sent. */
    record Remind(Occurrence.Key key, String text) implements Due {}

    /** Another module answers from now on. */
    record Move(String to, String reason) implements Due {}

    /** Staff let the coach speak again: it answers what they left. */
    record TakeUp() implements Due {}

    /**
     * The model asks how it went.
     *
     * @param hint what it is told
     * @param text what is said if it cannot
     * @param feedbackState what holds then
     */
    record AskHow(String hint, String text, String feedbackState) implements Due {}
  }

  /** Looks at a wake-up with the flow of its participant. */
  Due look(Claim claim, Flow flow, Wakeup wakeup) {
    if (wakeup.status() != Wakeup.Status.RUNG) {
      return drop(wakeup.reason() == null ? "it was over already" : wakeup.reason());
    }
    // Why a script's prompt is not sent is written down where scripts look.
    return Optional.of(claim.participant())
        .filter(it -> wakeup.kind() != WakeupKind.SCRIPTED)
        .flatMap(Wakings::whyNotTexted)
        .<Due>map(Wakings::drop)
        .orElseGet(() -> wanted(claim, flow, wakeup));
  }

  /** Why the line may not text somebody without being asked, if it may not. */
  static Optional<String> whyNotTexted(Participant participant) {
    if (participant.optedOut()) {
      return Optional.of("the participant opted out");
    }
    return participant.status() == ParticipantStatus.ACTIVE
        ? Optional.empty()
        : Optional.of("the participant is " + participant.status().word());
  }

  private Due wanted(Claim claim, Flow flow, Wakeup wakeup) {
    return switch (wakeup.kind()) {
      case DAILY_PROMPT -> prompt(claim, flow, wakeup);
      case REMINDER -> reminder(claim, flow, wakeup);
      case AUTO_FEEDBACK -> autoFeedback(claim, flow, wakeup);
      case CHECK_IN -> checkIn(claim, flow, wakeup, WAITING_INITIAL);
      case FOLLOW_UP -> checkIn(claim, flow, wakeup, FOLLOWUP_SENT);
      case TRANSITION -> transition(claim, flow, wakeup);
      case HAND_BACK -> handBack(claim);
      case SCRIPTED -> new Due.Scripted(wakeup);
    };
  }

  private static Due drop(String reason) {
    return new Due.Drop(reason, new Deed.Nothing());
  }

  private Due prompt(Claim claim, Flow flow, Wakeup wakeup) {
    var key = Occurrence.Key.read(wakeup.guard());
    var occurrence = claim.state().schedules().find(key);
    if (occurrence.isEmpty() || occurrence.get().status() != Occurrence.Status.PLANNED) {
      return drop("its prompt is not planned any more");
    }
    var daily = flow.dailyPrompt();
    if (daily == null) {
      return missed(key, "the flow has no daily prompt any more");
    }
    var not = whyNotNow(claim, wakeup);
    if (not.isPresent()) {
      return missed(key, not.get());
    }
    return new Due.Prompt(occurrence.get(), daily);
  }

  private static Due missed(Occurrence.Key key, String reason) {
    return new Due.Drop(reason, new Deed.Missed(key, reason));
  }

  private Due reminder(Claim claim, Flow flow, Wakeup wakeup) {
    var key = Occurrence.Key.read(wakeup.guard());
    var occurrence = claim.state().schedules().find(key);
    if (!occurrence.map(Occurrence::pending).orElse(false)
        || !claim.state().schedules().isNewestPrompt(key)) {
      return drop("the prompt is not pending any more");
    }
    if (inbox.saysSomething(claim.participant().id())) {
      return drop("a reply is waiting to be answered");
    }
    var daily = flow.dailyPrompt();
    if (daily == null) {
      return new Due.Drop("the flow has no daily prompt any more", new Deed.NotReminded(key));
    }
    return whyNotNow(claim, wakeup)
        .<Due>map(reason -> new Due.Drop(reason, new Deed.NotReminded(key)))
        .orElseGet(() -> new Due.Remind(key, daily.reminder()));
  }

  private Due autoFeedback(Claim claim, Flow flow, Wakeup wakeup) {
    var key = Occurrence.Key.read(wakeup.guard());
    var to = Optional.ofNullable(flow.dailyPrompt()).map(DailyPrompt::feedbackState);
    if (to.isEmpty()) {
      return drop("the flow moves nobody by itself");
    }
    if (!claim.state().schedules().isNewestPrompt(key)) {
      return drop("a newer prompt went out");
    }
    var replied =
        claim.state().schedules().find(key).map(Occurrence::respondedAt).isPresent()
            || inbox.saysSomething(claim.participant().id());
    if (replied) {
      return drop("the participant replied");
    }
    return claim.pinned().module().equals(to.get())
        ? drop(to.get() + " answers already")
        : new Due.Move(to.get(), "a daily prompt went out");
  }

  private static Due transition(Claim claim, Flow flow, Wakeup wakeup) {
    var to = wakeup.guard();
    if (flow.module(to).isEmpty()) {
      return drop("the flow has no module " + to + " any more");
    }
    return claim.pinned().module().equals(to)
        ? drop(to + " answers already")
        : new Due.Move(to, "asked for with a delay");
  }

  private Due checkIn(Claim claim, Flow flow, Wakeup wakeup, String expected) {
    if (!expected.equals(claim.state().counters().feedbackState())) {
      return drop("nobody waits for feedback any more");
    }
    if (inbox.saysSomething(claim.participant().id())) {
      return new Due.Drop("a reply is waiting to be answered", new Deed.CheckedIn(COMPLETED));
    }
    var daily = flow.dailyPrompt();
    if (daily == null) {
      return new Due.Drop("the flow has no check-in", new Deed.CheckedIn(COMPLETED));
    }
    return whyNotNow(claim, wakeup)
        .<Due>map(reason -> new Due.Drop(reason, new Deed.CheckedIn(COMPLETED)))
        .orElseGet(() ->
            expected.equals(WAITING_INITIAL)
                ? new Due.AskHow(FIRST_HINT, daily.checkIn(), FOLLOWUP_SENT)
                : new Due.AskHow(SECOND_HINT, daily.followUp(), COMPLETED));
  }

  /** What was said while staff held the conversation, and not answered by them, is answered now. */
  private Due handBack(Claim claim) {
    var now = clock.instant();
    // Asked anew: the turn may have been claimed with what was so before they handed it back.
    if (steppingIn.muted(claim.participant().id()).isPresent()) {
      return drop("staff hold the conversation again");
    }
    if (inbox.saysSomething(claim.participant().id())) {
      return drop("a text is waiting to be answered");
    }
    return conversations
        .unanswered(claim.participant().id())
        .map(since -> takeUp(claim, now, since))
        .orElseGet(() -> drop("nothing was left to be answered"));
  }

  /** Whoever wrote a while ago is not woken up at night. */
  private Due takeUp(Claim claim, Instant now, Instant said) {
    if (mayText(claim, now) || said.plus(AWAKE).isAfter(now)) {
      return new Due.TakeUp();
    }
    return new Due.Drop(
        outside(claim, now) + "; it is answered by day",
        new Deed.HandedBackLater(now.plus(hours.untilAllowed(claim.participant()))));
  }

  /** Nobody is texted at night, about what was hours ago, or while staff hold the conversation. */
  private Optional<String> whyNotNow(Claim claim, Wakeup wakeup) {
    var now = clock.instant();
    return claim
        .state()
        .staff()
        .mutes(now)
        .or(() -> whyTooLate(wakeup))
        .or(() -> mayText(claim, now) ? Optional.empty() : Optional.of(outside(claim, now)));
  }

  /** Why a wake-up rang too late for what it is for, if it did. */
  Optional<String> whyTooLate(Wakeup wakeup) {
    return Duration.between(wakeup.dueAt(), clock.instant()).compareTo(times.maxLateness()) > 0
        ? Optional.of("it was more than %s late".formatted(words(times.maxLateness())))
        : Optional.empty();
  }

  private boolean mayText(Claim claim, Instant now) {
    return claim.participant().channel() == ChannelKind.SIMULATOR
        || times.allowed().allow(local(claim, now));
  }

  private String outside(Claim claim, Instant now) {
    return "it was %tR for the participant, outside the allowed hours %s"
        .formatted(local(claim, now), times.allowed().text());
  }

  private static LocalTime local(Claim claim, Instant now) {
    return now.atZone(claim.participant().zone()).toLocalTime();
  }

  private static String words(Duration duration) {
    return duration.toMinutes() % 60 == 0
        ? duration.toHours() + " h"
        : duration.toMinutes() + " min";
  }
}
