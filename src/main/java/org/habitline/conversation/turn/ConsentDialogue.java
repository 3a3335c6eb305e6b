package org.habitline.conversation.turn;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Consent;
import org.habitline.participants.ConsentEntry;
import org.habitline.participants.ConsentState;
import org.habitline.participants.ConsentStep;
import org.habitline.participants.Participant;
import org.habitline.protocol.ConsentPlan;
import org.habitline.protocol.ConsentQuestion;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.tools.Effect;
import org.jspecify.annotations.Nullable;

/**
 * Asks participants how old they are and whether they take part, and understands what they answer.
 * Decides only: the turn stores the result and sends the messages in one commit.
 */
@Singleton
public final class ConsentDialogue {

  /** After so many answers in a row that cannot be understood, a person must find out. */
  static final int UNCLEAR_AT_MOST = 3;

  /** The most characters that are recorded of a yes or a no. */
  private static final int LONGEST = 500;

  /** What becomes of a question that nobody reads. */
  private static final Set<DeliveryStatus> LOST =
      EnumSet.of(
          DeliveryStatus.FAILED,
          DeliveryStatus.UNDELIVERED,
          DeliveryStatus.CANCELED,
          DeliveryStatus.REFUSED);

  private final ConsentGate gate;
  private final Outbox outbox;
  private final CrisisRules rules;
  private final Clock clock;

  ConsentDialogue(ConsentGate gate, Outbox outbox, CrisisRules rules, Clock clock) {
    this.gate = gate;
    this.outbox = outbox;
    this.rules = rules;
    this.clock = clock;
  }

  /**
   * What to say and to store.
   *
   * @param answer what changes about the consent, or {@code null} if nothing does
   */
  public record Step(List<DraftMessage> texts, Effect.@Nullable AnswerConsent answer) {

    public static final Step NOTHING = new Step(List.of(), null);

    /** Returns the change as the effects of a turn. */
    public List<Effect> effects() {
      return answer == null ? List.of() : List.of(answer);
    }

    /** Returns whether the participant said yes. */
    public boolean isYes() {
      return answer != null && answer.now().state() == ConsentState.GIVEN;
    }

    /** Returns whether a staff member must find out what the participant wants. */
    public boolean isForStaff() {
      return answer != null && answer.now().state() == ConsentState.LEFT_TO_STAFF;
    }
  }

  /** One walk through the texts of a turn. */
  private final class Walk {
    private final ConsentPlan plan;
    private final String version;
    private final List<DraftMessage> texts = new ArrayList<>();
    private final List<Effect.HeardConsent> steps = new ArrayList<>();
    private final @Nullable String language;
    private Consent now;

    Walk(ConsentPlan plan, Participant participant) {
      this.plan = plan;
      this.version = plan.version().orElseThrow();
      this.language = participant.language();
      this.now = participant.consent();
    }

    Step done() {
      return steps.isEmpty() && texts.isEmpty()
          ? Step.NOTHING
          : new Step(List.copyOf(texts), new Effect.AnswerConsent(now, List.copyOf(steps)));
    }

    /** Asks for the age if it is not known to suffice, and for consent otherwise. */
    void ask() {
      var at = clock.instant();
      if (plan.minAge() > now.minAge()) {
        now = now.to(ConsentState.AGE_ASKED, null, at);
        note(ConsentStep.AGE_ASKED, null, null, null);
        say(ConsentQuestion.AGE);
      } else {
        now = now.to(ConsentState.ASKED, version, at);
        note(ConsentStep.ASKED, version, null, null);
        text();
      }
    }

    private void text() {
      plan.asking(language).forEach(text -> texts.add(DraftMessage.of(text, OutboundKind.CONSENT)));
    }

    void age(List<Input.Said> said) {
      for (var text : said) {
        if (plan.age(text.text()).filter(it -> it < plan.minAge()).isPresent()) {
          tooYoung(text);
          return;
        }
      }
      for (var text : said) {
        if (plan.age(text.text()).isPresent()) {
          now = now.atLeast(plan.minAge());
          note(ConsentStep.OLD_ENOUGH, null, null, text.seq());
          ask();
          return;
        }
      }
      unclear(said, null, () -> say(ConsentQuestion.AGE_AGAIN));
    }

    void consent(List<Input.Said> said) {
      var yes = said.stream().filter(text -> plan.isYes(text.text())).findFirst();
      var no = said.stream().filter(text -> plan.isNo(text.text())).findFirst();
      if (yes.isPresent() == no.isPresent()) {
        // With the whole text: the first one may not have arrived.
        unclear(
            said,
            version,
            () -> {
              say(ConsentQuestion.AGAIN);
              text();
            });
      } else if (yes.isPresent()) {
        now = now.to(ConsentState.GIVEN, version, clock.instant());
        note(ConsentStep.YES, version, words(yes.get()), yes.get().seq());
      } else {
        now = now.to(ConsentState.DECLINED, version, clock.instant());
        note(ConsentStep.NO, version, words(no.orElseThrow()), no.orElseThrow().seq());
        say(ConsentQuestion.DECLINED);
      }
    }

    /** Returns the words of an answer, without what follows after hundreds of signs. */
    private static String words(Input.Said text) {
      var said = text.text().strip();
      return said.substring(
          0, said.offsetByCodePoints(0, Math.min(said.codePointCount(0, said.length()), LONGEST)));
    }

    private boolean isTooYoung(Input.Said text) {
      return plan.minAge() > 0 && !rules.judgeAge(text.text()).findings().isEmpty();
    }

    private void tooYoung(Input.Said text) {
      now = now.to(ConsentState.NOT_ELIGIBLE, now.version(), clock.instant());
      note(ConsentStep.TOO_YOUNG, null, null, text.seq());
      say(ConsentQuestion.NOT_ELIGIBLE);
    }

    private void unclear(List<Input.Said> said, @Nullable String ofVersion, Runnable again) {
      note(ConsentStep.UNCLEAR, ofVersion, null, said.getLast().seq());
      now = now.unclearAgain();
      if (now.unclear() < UNCLEAR_AT_MOST) {
        again.run();
      } else {
        now = now.to(ConsentState.LEFT_TO_STAFF, now.version(), clock.instant());
        note(ConsentStep.LEFT_TO_STAFF, ofVersion, null, null);
        say(ConsentQuestion.TO_STAFF);
      }
    }

    private void say(ConsentQuestion question) {
      texts.add(DraftMessage.of(plan.question(question, language), OutboundKind.CONSENT));
    }

    private void note(
        ConsentStep step, @Nullable String ofVersion, @Nullable String words, @Nullable Long seq) {
      steps.add(new Effect.HeardConsent(new ConsentEntry(step, ofVersion, words, null), seq));
    }
  }

  /**
   * Returns the question that somebody without consent gets unprompted: empty if they were asked
   * already and the question was not lost on its way, said no, are too young, or are left to staff.
   */
  public Optional<Step> question(Participant participant) {
    var consent = participant.consent();
    return plan(participant)
        .filter(plan ->
            isUnasked(plan, consent)
                || openQuestion(participant).filter(LOST::contains).isPresent())
        .map(plan -> {
          var walk = new Walk(plan, participant);
          walk.ask();
          return walk.done();
        });
  }

  /** Returns the question that is open, asked again: nothing if none is. */
  public Optional<Step> questionAgain(Participant participant) {
    var consent = participant.consent();
    return switch (consent.state()) {
      case AGE_ASKED, ASKED ->
          plan(participant)
              .map(plan -> {
                var walk = new Walk(plan, participant);
                walk.ask();
                return walk.done();
              });
      case NOT_ASKED, GIVEN, ELSEWHERE -> question(participant);
      case DECLINED, NOT_ELIGIBLE, LEFT_TO_STAFF -> Optional.empty();
    };
  }

  /**
   * Returns what texts of somebody without consent lead to. While the question waits in the outbox,
   * no text answers it; if it was lost, it is put again. Whoever says that they are too young is
   * heard at any time.
   *
   * @param said their texts that are for nobody else, oldest first; START may be among them
   */
  public Step answer(Participant participant, List<Input.Said> said) {
    return plan(participant)
        .map(plan -> {
          var walk = new Walk(plan, participant);
          walk(walk, plan, participant, said);
          return walk.done();
        })
        .orElse(Step.NOTHING);
  }

  private void walk(Walk walk, ConsentPlan plan, Participant participant, List<Input.Said> said) {
    var consent = participant.consent();
    var words = said.stream().filter(text -> text.wish() == null).toList();
    var tooYoung = words.stream().filter(walk::isTooYoung).findFirst();
    var question = openQuestion(participant);
    if (tooYoung.isPresent() && isUndecided(consent)) {
      walk.tooYoung(tooYoung.get());
    } else if (isUnasked(plan, consent) || question.filter(LOST::contains).isPresent()) {
      // Whatever they wrote does not answer the question, because they have not seen it.
      walk.ask();
    } else if (question.filter(DeliveryStatus.PLANNED::equals).isEmpty()) {
      answer(walk, plan, consent, said, words);
    }
  }

  private static void answer(
      Walk walk, ConsentPlan plan, Consent consent, List<Input.Said> said, List<Input.Said> words) {
    switch (consent.state()) {
      case AGE_ASKED, ASKED -> {
        if (words.isEmpty()) {
          walk.ask();
        } else if (consent.state() == ConsentState.AGE_ASKED) {
          walk.age(words);
        } else {
          walk.consent(words);
        }
      }
      case DECLINED -> {
        if (said.stream()
            .anyMatch(text -> text.wish() == ConsentKeyword.START || plan.reopens(text.text()))) {
          walk.ask();
        }
      }
      case NOT_ASKED, GIVEN, ELSEWHERE, NOT_ELIGIBLE, LEFT_TO_STAFF -> {}
    }
  }

  /** Returns whether the question must be put for the first time, or for a new version. */
  private static boolean isUnasked(ConsentPlan plan, Consent consent) {
    return switch (consent.state()) {
      case NOT_ASKED, GIVEN, ELSEWHERE -> true;
      case ASKED -> !plan.version().equals(Optional.ofNullable(consent.version()));
      case AGE_ASKED, DECLINED, NOT_ELIGIBLE, LEFT_TO_STAFF -> false;
    };
  }

  /** Returns whether it is still open if they take part. */
  private static boolean isUndecided(Consent consent) {
    return switch (consent.state()) {
      case NOT_ASKED, AGE_ASKED, ASKED, GIVEN, ELSEWHERE -> true;
      case DECLINED, NOT_ELIGIBLE, LEFT_TO_STAFF -> false;
    };
  }

  /** Returns the status of the message with the open question, or empty if none is open. */
  private Optional<DeliveryStatus> openQuestion(Participant participant) {
    return switch (participant.consent().state()) {
      case AGE_ASKED, ASKED -> outbox.lastQuestion(participant.id());
      case NOT_ASKED, GIVEN, ELSEWHERE, DECLINED, NOT_ELIGIBLE, LEFT_TO_STAFF -> Optional.empty();
    };
  }

  private Optional<ConsentPlan> plan(Participant participant) {
    return gate.isMissing(participant) ? gate.asking() : Optional.empty();
  }
}
