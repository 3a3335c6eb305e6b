package org.habitline.conversation.rules;

import java.util.List;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.DraftMessage;
import org.jspecify.annotations.Nullable;

/**
 * A rule that looks at what a participant said before the coach does. The rules are asked in their
 * {@code @Order}; each may add texts of the line's own, and the first that ends the turn decides:
 * no model is asked then. A new rule is a new class of these.
 */
public interface BeforeTheCoach {

  /** The rules in their order. */
  enum Place {
    CONSENT_KEYWORDS,
    STATUS,
    KEYWORDS_ONLY,
    OPEN_CHOICE,
    TAKEOVER,
    SAME_TEXT
  }

  Place place();

  Ruling look(Heard heard);

  /**
   * What a rule says.
   *
   * @param texts what the line itself says
   * @param end how the turn ends, or {@code null} if it goes on
   */
  record Ruling(List<DraftMessage> texts, @Nullable End end) {

    /** The turn goes on. */
    static final Ruling PASS = new Ruling(List.of(), null);

    /** The line says this, and the turn goes on. */
    static Ruling say(List<DraftMessage> texts) {
      return new Ruling(texts, null);
    }

    /** The line says this, and the coach is not asked, for this reason. */
    static Ruling notForTheCoach(List<DraftMessage> texts, String reason) {
      return new Ruling(texts, new End(Outcome.NOT_FOR_THE_COACH, reason, false));
    }
  }

  /**
   * How a turn ends without the coach.
   *
   * @param leftToStaff whether staff are to answer what was said
   */
  record End(Outcome outcome, String reason, boolean leftToStaff) {}
}
