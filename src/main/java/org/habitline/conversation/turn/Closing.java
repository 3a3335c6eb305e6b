package org.habitline.conversation.turn;

import java.util.List;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.Outcome;
import org.habitline.llm.ModelFailure;
import org.habitline.tools.Effect;
import org.jspecify.annotations.Nullable;

/**
 * Everything a turn came to.
 *
 * @param failure why the model failed, if it did
 * @param heldByStaff whether what was said is left to staff, who keep the coach silent
 * @param texts what goes out, in order
 * @param action what the turn of a wake-up does besides
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

  private static final String TAKEN = Claim.Staff.HELD + " while the reply was being prepared";

  /** What a turn for texts or an enrolment came to. */
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

  /** What the turn of a wake-up came to. */
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

  /** The same without the coach's words, which staff took the place of; the line's own stay. */
  public Closing takenOver() {
    var own = texts.stream().filter(it -> !it.kind().isCoach()).toList();
    return own.size() == texts.size()
        ? this
        : new Closing(
            claim,
            Outcome.TAKEN_OVER,
            TAKEN,
            failure,
            true,
            effects,
            own,
            action.takenOver(TAKEN),
            reply,
            journal);
  }

  /** The same of a turn whose model may have failed. */
  public Closing because(@Nullable ModelFailure why) {
    return new Closing(
        claim, outcome, reason, why, heldByStaff, effects, texts, action, reply, journal);
  }

  /** The same of what staff are to answer. */
  public Closing leftToStaff() {
    return new Closing(
        claim, outcome, reason, failure, true, effects, texts, action, reply, journal);
  }

  /** The same when it turns out that nobody wants it any more. */
  public Closing unwanted() {
    return new Closing(
        claim,
        Outcome.DROPPED,
        "it was taken back meanwhile",
        null,
        false,
        List.of(),
        List.of(),
        WakeupAction.NONE,
        reply,
        journal);
  }
}
