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
 * Detects loops with another machine, such as an auto-responder: two machines that reply to each
 * other would never stop. Counts turns, not texts: a burst of the same words gets one reply, like
 * any other, and only words that come back after our replies make a loop.
 */
public final class SameText {

  /** The number of turns in a row with the same words at which the coach stops replying. */
  public static final int TURNS_AT_MOST = 5;

  /**
   * How far back the same words count. Someone who repeats them after a longer silence is a person
   * and gets a reply.
   */
  public static final Duration WITHIN = Duration.ofMinutes(10);

  /** The number of newest transcript rows that hold the turns to compare, replies included. */
  static final int LOOKS_BACK = 20;

  private SameText() {}

  /**
   * Counts the turns in a row, up to this one, whose texts were the same words within {@link
   * #WITHIN}; returns 0 for a turn without texts and 1 if this turn's texts differ from each other.
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

  /** Returns a text as keywords are compared, or the whole text if it has no letters. */
  private static String words(String text) {
    var bare = PlainText.bare(text);
    return bare.isEmpty() ? text.strip() : bare;
  }
}
