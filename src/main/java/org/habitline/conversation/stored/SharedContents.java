package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.Hashes;
import org.habitline.storage.Transactions;

/**
 * Keeps texts that many records refer to, each once under its SHA-256, so that what was in force
 * can be read after it changed. Only for texts without personal data: they stay when participants
 * are erased. Safe for any number of threads.
 */
@Singleton
public final class SharedContents {

  private final JdbcSharedContents rows;
  private final Transactions transactions;
  private final Clock clock;

  /** Hashes that this process knows to be on disk. */
  private final Set<String> kept = ConcurrentHashMap.newKeySet();

  SharedContents(JdbcSharedContents rows, Transactions transactions, Clock clock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** What a text is. */
  public enum Kind {
    /** The tools that a request offered to a model, as a JSON array. */
    TOOLS,
    /** What was in force: the files and settings of a configuration version, as a JSON object. */
    CONFIGURATION,
    /** A file of a flow. */
    FLOW,
    /** A file in which the study says something about itself. */
    STUDY,
    /** A file with words of one language. */
    WORDS
  }

  /**
   * Returns the SHA-256 of a text in lower-case hexadecimal, and makes sure that the text is on
   * disk; joins the running transaction.
   */
  public String keep(Kind kind, String content) {
    var sha256 = Hashes.sha256(content);
    if (!kept.contains(sha256)) {
      transactions.write(() -> {
        transactions.afterCommit(() -> kept.add(sha256));
        return rows.insert(sha256, kind, content, clock.instant());
      });
    }
    return sha256;
  }

  /** A text to keep. */
  public record Content(Kind kind, String text) {}

  /**
   * Makes sure that texts are on disk, in the order of their hashes: two nodes that keep the same
   * texts at once wait for each other and never in a circle. Joins the running transaction.
   */
  public void keepAll(Collection<Content> contents) {
    contents.stream()
        .sorted(Comparator.comparing(content -> Hashes.sha256(content.text())))
        .forEach(content -> keep(content.kind(), content.text()));
  }

  /** Returns the text with this SHA-256, if it was ever kept. */
  public Optional<String> find(String sha256) {
    return transactions.read(() -> rows.find(sha256)).map(JdbcSharedContents.Row::content);
  }
}
