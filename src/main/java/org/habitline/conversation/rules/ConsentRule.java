package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.turn.ConsentDialogue;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.messaging.inbox.Input;
import org.habitline.protocol.ConsentQuestion;

/**
 * Asks for age and consent before the coach replies for the first time, and again for a new version
 * of the consent text. No model is asked before the yes is committed; the greeting is a turn of its
 * own. While staff have taken the conversation over, answers are left to them, and nothing counts
 * as a yes.
 */
@Singleton
final class ConsentRule implements BeforeTheCoach {

  private static final String CONSENTED = "the participant consented";

  private final ConsentGate gate;
  private final ConsentDialogue dialogue;
  private final TurnReader turns;
  private final Clock clock;

  ConsentRule(ConsentGate gate, ConsentDialogue dialogue, TurnReader turns, Clock clock) {
    this.gate = gate;
    this.dialogue = dialogue;
    this.turns = turns;
    this.clock = clock;
  }

  @Override
  public Place place() {
    return Place.CONSENT;
  }

  @Override
  public Ruling look(Heard heard) {
    var participant = heard.claim().participant();
    if (!gate.isMissing(participant)) {
      return Ruling.PASS;
    }
    var said =
        heard.claim().said().stream()
            .filter(text -> text.wish() == null || text.wish() == ConsentKeyword.START)
            .toList();
    if (said.isEmpty() && !heard.isForTheCoach()) {
      return Ruling.PASS;
    }
    var muted = heard.claim().state().staff().mutes(clock.instant());
    if (muted.isPresent()) {
      return new Ruling(List.of(), new End(Outcome.NOT_FOR_THE_COACH, muted.get(), true));
    }
    var step =
        said.isEmpty()
            ? dialogue.question(participant).orElse(ConsentDialogue.Step.NOTHING)
            : dialogue.answer(participant, said);
    return step.isYes() ? consented(heard, step, said) : ended(heard, step);
  }

  private static Ruling ended(Heard heard, ConsentDialogue.Step step) {
    return new Ruling(
        step.texts(),
        new End(
            Outcome.NOT_FOR_THE_COACH,
            ConsentGate.REASON,
            step.isForStaff() || (step.answer() == null && waitsForStaff(heard))),
        step.effects());
  }

  private static boolean waitsForStaff(Heard heard) {
    return switch (heard.claim().participant().consent().state()) {
      case LEFT_TO_STAFF -> true;
      case NOT_ASKED, AGE_ASKED, ASKED, GIVEN, ELSEWHERE, DECLINED, NOT_ELIGIBLE -> false;
    };
  }

  /**
   * Greets a newcomer in the next turn. Somebody who was coached before gets a reply to what they
   * wrote after the yes, or thanks.
   */
  private Ruling consented(Heard heard, ConsentDialogue.Step step, List<Input.Said> said) {
    if (!turns.hasReplied(heard.claim().participant().id())) {
      return new Ruling(
          List.of(),
          new End(Outcome.NOT_FOR_THE_COACH, CONSENTED, false),
          step.answer() == null ? List.of() : List.of(step.answer().thenGreets()));
    }
    var yes = step.answer() == null ? null : step.answer().saidYes();
    if (yes != null && said.getLast().seq() > yes) {
      return new Ruling(List.of(), null, step.effects());
    }
    var thanks =
        gate.asking()
            .map(plan ->
                DraftMessage.of(
                    plan.question(ConsentQuestion.THANKS, heard.claim().participant().language()),
                    OutboundKind.CONSENT));
    return new Ruling(
        thanks.stream().toList(),
        new End(Outcome.NOT_FOR_THE_COACH, CONSENTED, false),
        step.effects());
  }
}
