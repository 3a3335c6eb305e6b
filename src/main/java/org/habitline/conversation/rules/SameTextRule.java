package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.conversation.model.SameText;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.stored.Outcome;

/**
 * Stops replying when the same words come again and again, as from another machine; quick replies
 * among them still take effect. The first reply to a prompt always gets a reply.
 */
@Singleton
final class SameTextRule implements BeforeTheCoach {

  @Override
  public Place place() {
    return Place.SAME_TEXT;
  }

  @Override
  public Ruling look(Heard heard) {
    if (heard.crashed()) {
      return Ruling.PASS;
    }
    var times = times(heard);
    if (times < SameText.TURNS_AT_MOST || heard.reply().isTheFirst()) {
      return Ruling.PASS;
    }
    return new Ruling(
        List.of(),
        new End(
            Outcome.BRAKED,
            "the same text "
                + times
                + " times in a row within "
                + SameText.WITHIN.toMinutes()
                + " minutes",
            false));
  }

  /** Returns 0 if there is no context; the flow's fallback message is the reply then. */
  private static int times(Heard heard) {
    try {
      return heard.context().sameText();
    } catch (NoContext e) {
      return 0;
    }
  }
}
