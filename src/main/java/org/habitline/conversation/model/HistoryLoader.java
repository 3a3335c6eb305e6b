package org.habitline.conversation.model;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.JdbcTranscript.Said;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the end of the transcript for a turn. */
@Singleton
final class HistoryLoader {

  private static final Logger log = LoggerFactory.getLogger(HistoryLoader.class);

  private final JdbcTranscript transcript;
  private final Transactions transactions;

  HistoryLoader(JdbcTranscript transcript, Transactions transactions) {
    this.transcript = transcript;
    this.transactions = transactions;
  }

  /**
   * Returns the newest messages, newest first, or none if the transcript cannot be read, so that
   * the participant still gets a reply.
   */
  List<Said> newest(Claim claim, int most) {
    try {
      return transactions.read(() -> transcript.newestSaid(claim.participant().id(), most));
    } catch (RuntimeException e) {
      log.warn(
          "The history of {} cannot be read; turn {} continues without it: {}",
          claim.participant().id(),
          claim.turn(),
          e.getClass().getName());
      return List.of();
    }
  }

  /** Returns the newest of these messages as a model is shown them, oldest first. */
  static List<LoadedContext.Message> history(List<Said> newest, int most) {
    return newest.subList(0, Math.min(most, newest.size())).reversed().stream()
        .map(row -> new LoadedContext.Message(row.role(), row.content()))
        .toList();
  }

  /** Returns the numbers of the newest of these messages in the transcript, oldest first. */
  static List<Long> numbers(List<Said> newest, int most) {
    return newest.subList(0, most).reversed().stream().map(Said::seq).toList();
  }
}
