package org.habitline.conversation.rules;

import java.util.List;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.tools.Effect;
import org.jspecify.annotations.Nullable;

/**
 * A rule that looks at a participant's texts before the coach does. Rules run in the order of
 * {@link Place}; each may add fixed messages of the flow, and the first that ends the turn decides:
 * no model is asked then. To add a rule, add a class that implements this interface.
 */
public interface BeforeTheCoach {

  /** The rules in the order in which they run. */
  enum Place {
    CONSENT_KEYWORDS,
    SAFETY,
    STATUS,
    CONSENT,
    KEYWORDS_ONLY,
    OPEN_CHOICE,
    TAKEOVER,
    BUDGET,
    SAME_TEXT
  }

  Place place();

  Ruling look(Heard heard);

  /**
   * The decision of a rule.
   *
   * @param texts the messages to send
   * @param end how the turn ends, or {@code null} if it continues
   * @param effects what changes about the participant
   */
  record Ruling(List<DraftMessage> texts, @Nullable End end, List<Effect> effects) {

    /** Creates a ruling that changes nothing about the participant. */
    public Ruling(List<DraftMessage> texts, @Nullable End end) {
      this(texts, end, List.of());
    }

    /** Continues the turn without a message. */
    static final Ruling PASS = new Ruling(List.of(), null);

    /** Sends these messages and continues the turn. */
    static Ruling say(List<DraftMessage> texts) {
      return new Ruling(texts, null);
    }

    /** Sends these messages and ends the turn for this reason without asking the coach. */
    static Ruling notForTheCoach(List<DraftMessage> texts, String reason) {
      return new Ruling(texts, new End(Outcome.NOT_FOR_THE_COACH, reason, false));
    }
  }

  /**
   * How a turn ends without the coach.
   *
   * @param leftToStaff whether the reply is left to staff
   */
  record End(Outcome outcome, String reason, boolean leftToStaff) {}
}
