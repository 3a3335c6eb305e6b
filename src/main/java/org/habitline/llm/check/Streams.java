package org.habitline.llm.check;

import java.time.Duration;
import java.util.Locale;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelReply;
import org.habitline.llm.Receipt;

/**
 * Exchanges about how a reply arrives: in pieces, with token counts, and only while it is needed.
 */
final class Streams {

  private static final String COACH = "You do exactly what you are asked, without comment.";

  /** First words later than this are worth a warning. */
  private static final Duration SLOW = Duration.ofSeconds(10);

  private static final String LAST = "60";
  private static final double MILLIS = 1000.0;

  private Streams() {}

  static Finding inPieces(Talk talk) {
    var streamed =
        talk.stream(
            Requests.plain(COACH, "Count from 1 to " + LAST + " in digits, separated by spaces."));
    if (!(streamed.reply() instanceof ModelReply.Says says) || says.text().isBlank()) {
      return Finding.fails(Talk.unexpected(streamed.reply()));
    }
    if (!Replies.contains(says, LAST)) {
      return Finding.fails("the streamed reply lacks its end");
    }
    return streamed.pieces() < 2
        ? Finding.fails("the reply arrived in one piece")
        : Finding.works(timing(streamed));
  }

  private static String timing(Talk.Streamed streamed) {
    return String.format(
        Locale.ROOT,
        "the first of %d pieces came after %.1f s%s",
        streamed.pieces(),
        streamed.first().toMillis() / MILLIS,
        streamed.first().compareTo(SLOW) > 0
            ? ", so allow for it in MODEL_ATTEMPT_TIMEOUT and TURN_DEADLINE"
            : "");
  }

  static Finding usage(Talk talk) {
    var request = Requests.plain(COACH, "Say hello in one word.");
    var whole = talk.ask(request);
    if (!(whole instanceof ModelReply.Says)) {
      return Finding.fails(Talk.unexpected(whole));
    }
    var streamed = talk.stream(request).reply();
    if (!(streamed instanceof ModelReply.Says)) {
      return Finding.fails(Talk.unexpected(streamed));
    }
    if (!isCounted(whole.receipt())) {
      return Finding.fails("replies come without them");
    }
    return isCounted(streamed.receipt())
        ? Finding.works()
        : Finding.fails("streamed replies come without them");
  }

  private static boolean isCounted(Receipt receipt) {
    return receipt.promptTokens() > 0 && receipt.completionTokens() > 0;
  }

  static Finding cancelled(Talk talk) {
    var request = Requests.plain(COACH, "Count from 1 to 400 in digits, separated by spaces.");
    return switch (talk.cancel(request)) {
      case Attempt.Interrupted interrupted -> Finding.works();
      case Attempt.Answered answered ->
          Finding.fails("the reply was complete before it could be cancelled");
      case Attempt.Unanswered unanswered ->
          Finding.fails(ModelFailure.explained(unanswered.reason(), unanswered.failure()));
    };
  }
}
