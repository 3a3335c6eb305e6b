package org.habitline.conversation.turn;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.Outcome;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.tools.Effect;
import org.jspecify.annotations.Nullable;

/**
 * The complete result of a turn, to be committed at once.
 *
 * @param reason why the turn ended as it did, cut to 1,000 characters
 * @param failure why the model failed, if it did
 * @param heldByStaff whether the reply is left to staff, who have taken the conversation over
 * @param texts the messages to send, in order
 * @param action what else the turn of a wake-up does
 * @param reply what the participant's texts mean by themselves
 */
public record Closing(
    Claim claim,
    Outcome outcome,
    @Nullable String reason,
    @Nullable ModelFailure failure,
    boolean heldByStaff,
    List<Effect> effects,
    List<DraftMessage> texts,
    WakeupAction action,
    QuickReply reply,
    Journal journal) {

  /** Size of the {@code reason} columns of turns and wake-ups, in characters. */
  private static final int LONGEST_REASON = 1000;

  private static final String GIVEN_UP = Claim.CRASHED + "; changes of this turn are lost";

  private static final String OPTED_OUT = "the participant opted out while the turn was running";
  private static final String TAKEN = Claim.Staff.HELD + " while the reply was being prepared";

  public Closing {
    if (reason != null && reason.length() > LONGEST_REASON) {
      reason = reason.substring(0, LONGEST_REASON);
    }
  }

  /** Returns the result of a turn for texts or an enrolment. */
  public static Closing of(
      Claim claim,
      Outcome outcome,
      @Nullable String reason,
      List<Effect> effects,
      List<DraftMessage> texts,
      QuickReply reply,
      Journal journal) {
    return new Closing(
        claim, outcome, reason, null, false, effects, texts, WakeupAction.NONE, reply, journal);
  }

  /** Returns the result of a wake-up's turn. */
  public static Closing woke(
      Claim claim,
      Outcome outcome,
      @Nullable String reason,
      List<Effect> effects,
      List<DraftMessage> texts,
      WakeupAction action,
      Journal journal) {
    return new Closing(
        claim, outcome, reason, null, false, effects, texts, action, QuickReply.none(), journal);
  }

  /**
   * Returns a copy without the coach's messages, because staff took the conversation over; fixed
   * messages of the flow are kept.
   */
  public Closing takenOver() {
    return without(OutboundKind::isCoach, TAKEN, true);
  }

  /**
   * Returns a copy without the coach's messages, because a safety incident opened meanwhile. What
   * someone in danger writes is no value of a field, and an opt-out would keep the fixed texts from
   * them.
   */
  public Closing inDanger() {
    return without(this::isHushedInDanger, CoachingPause.REASON, false)
        .keeping(it ->
            !(it instanceof Effect.OptOut
                || it instanceof Effect.RecordOutcome
                || it instanceof Effect.SaveProfile));
  }

  private boolean isHushedInDanger(OutboundKind kind) {
    return kind.waitsForSafety() || confirmsOptOut(kind);
  }

  private boolean confirmsOptOut(OutboundKind kind) {
    return kind == OutboundKind.CONFIRMATION && optsOut(effects);
  }

  /**
   * Returns a copy that opts nobody out and confirms nothing, because the participant opted out
   * while the turn was running.
   */
  public Closing optedOutMeanwhile() {
    return new Closing(
        claim,
        Outcome.NOT_FOR_THE_COACH,
        OPTED_OUT,
        failure,
        heldByStaff,
        effects.stream().filter(it -> !(it instanceof Effect.OptOut)).toList(),
        texts.stream().filter(it -> !confirmsOptOut(it.kind())).toList(),
        action,
        reply,
        journal);
  }

  /**
   * Returns a copy whose texts belong to a crisis that the turn itself found: the coach sends
   * nothing, and of the effects only flags for staff are kept, because what someone in danger
   * writes is no value of a field, and an opt-out would keep the fixed text from them.
   */
  public Closing inCrisis(String incidentId) {
    return new Closing(
        claim.inCrisis(incidentId),
        Outcome.NOT_FOR_THE_COACH,
        CoachingPause.REASON,
        null,
        false,
        effects.stream().filter(Effect.FlagForStaff.class::isInstance).toList(),
        texts.stream().filter(it -> !isHushedInDanger(it.kind())).toList(),
        action.takenOver(CoachingPause.REASON),
        QuickReply.none(),
        journal);
  }

  /** Returns whether the coach opted the participant out, so that it may only confirm that. */
  public static boolean optsOut(List<Effect> effects) {
    return effects.stream().anyMatch(Effect.OptOut.class::isInstance);
  }

  private Closing without(Predicate<OutboundKind> silenced, String why, boolean leftToStaff) {
    var own = texts.stream().filter(it -> !silenced.test(it.kind())).toList();
    return own.size() == texts.size()
        ? this
        : new Closing(
            claim,
            Outcome.TAKEN_OVER,
            why,
            failure,
            leftToStaff,
            effectsWithout(silenced),
            own,
            action.takenOver(why),
            reply,
            journal);
  }

  private Closing keeping(Predicate<Effect> wanted) {
    return new Closing(
        claim,
        outcome,
        reason,
        failure,
        heldByStaff,
        effects.stream().filter(wanted).toList(),
        texts,
        action,
        reply,
        journal);
  }

  /** A question that was not sent cannot be answered, so what was decided about it is left out. */
  private List<Effect> effectsWithout(Predicate<OutboundKind> silenced) {
    return texts.stream()
            .anyMatch(it -> it.kind() == OutboundKind.CONSENT && silenced.test(it.kind()))
        ? effects.stream().filter(it -> !(it instanceof Effect.AnswerConsent)).toList()
        : effects;
  }

  /**
   * Returns a copy that changes no profile, record or habit prompt, for a turn whose whole result
   * the database refuses each time. Flags for staff, opt-outs, consent, moves and schedules are
   * kept.
   */
  public Closing withoutContent() {
    return crashed(
        effects.stream()
            .filter(it ->
                !(it instanceof Effect.SaveProfile
                    || it instanceof Effect.RecordChange
                    || it instanceof Effect.StoreHabitPrompt
                    || it instanceof Effect.PrepareHabitPrompt
                    || it instanceof Effect.PublishExport))
            .toList(),
        texts,
        action,
        reply);
  }

  /**
   * Returns a copy without any changes, for a turn of which the database refuses even the rest. A
   * participant's texts still get their replies, with the opt-out or consent that these confirm; a
   * wake-up sends nothing and only records that.
   */
  public Closing bare() {
    var replies =
        switch (claim.inputs().getFirst()) {
          case Input.Said said -> true;
          case Input.Enrolled enrolled -> true;
          case Input.Woke woke -> false;
          case Input.StaffAsked asked -> false;
        };
    return crashed(
        effects.stream()
            .filter(it -> it instanceof Effect.OptOut || it instanceof Effect.AnswerConsent)
            .filter(it -> replies)
            .toList(),
        replies ? texts : List.of(),
        action.takenOver(GIVEN_UP),
        QuickReply.none());
  }

  private Closing crashed(
      List<Effect> kept, List<DraftMessage> said, WakeupAction rest, QuickReply heard) {
    return new Closing(
        claim, Outcome.CRASHED, GIVEN_UP, null, heldByStaff, kept, said, rest, heard, journal);
  }

  /** Returns a copy that also says and changes this. */
  public Closing with(List<DraftMessage> moreTexts, List<Effect> moreEffects) {
    return new Closing(
        claim,
        outcome,
        reason,
        failure,
        heldByStaff,
        Stream.concat(effects.stream(), moreEffects.stream()).toList(),
        Stream.concat(texts.stream(), moreTexts.stream()).toList(),
        action,
        reply,
        journal);
  }

  /** Returns a copy with the reason why the model failed, or {@code null} if it did not. */
  public Closing because(@Nullable ModelFailure why) {
    return new Closing(
        claim, outcome, reason, why, heldByStaff, effects, texts, action, reply, journal);
  }

  /** Returns a copy whose reply is left to staff. */
  public Closing leftToStaff() {
    return new Closing(
        claim, outcome, reason, failure, true, effects, texts, action, reply, journal);
  }

  /**
   * Returns a copy that sends and changes nothing, because the wake-up was cancelled while the turn
   * was running.
   */
  public Closing unwanted() {
    return new Closing(
        claim,
        Outcome.DROPPED,
        "it was cancelled while the turn was running",
        null,
        false,
        List.of(),
        List.of(),
        WakeupAction.NONE,
        reply,
        journal);
  }
}
