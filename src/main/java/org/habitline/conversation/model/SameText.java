package org.habitline.conversation.model;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.inbox.PlainText;

/**
 * The brake on loops with another machine, such as an automatic answer: two machines that answer
 * each other would never stop. What counts is turns, not texts: a burst of the same words is
 * answered once, like any other, and only words that answer our answers make a loop.
 */
public final class SameText {

  /** The turn in which the same words come for this time is not answered any more. */
  public static final int TURNS_AT_MOST = 5;

  /**
   * Within this time. Whoever is silent for it and then says the same again is a person, and is
   * answered.
   */
  public static final Duration WITHIN = Duration.ofMinutes(10);

  /** As many rows of the transcript hold the turns before, with what was said in them. */
  static final int LOOKS_BACK = 20;

  private SameText() {}

  /**
   * Counts the turns in a row, up to this one, whose texts were the same words within {@link
   * #WITHIN}; 0 if this one is for other things.
   *
   * @param newest the end of the transcript, newest first
   */
  static int turns(Claim claim, List<JdbcTranscript.Said> newest) {
    var said = claim.said();
    if (said.isEmpty()) {
      return 0;
    }
    var words = words(said.getLast().text());
    if (!said.stream().map(Input.Said::text).map(SameText::words).allMatch(words::equals)) {
      return 1;
    }
    return 1 + before(words, said.getLast().receivedAt().minus(WITHIN), newest);
  }

  private static int before(String words, Instant since, List<JdbcTranscript.Said> newest) {
    var turns = new HashSet<Integer>();
    for (var row : newest) {
      if (row.role() == MessageRole.USER) {
        if (!words(row.content()).equals(words) || row.createdAt().isBefore(since)) {
          return turns.size();
        }
        turns.add(row.turn());
      }
    }
    return turns.size();
  }

  /** As keywords are compared; of a text without letters, all there is. */
  private static String words(String text) {
    var bare = PlainText.bare(text);
    return bare.isEmpty() ? text.strip() : bare;
  }
}
