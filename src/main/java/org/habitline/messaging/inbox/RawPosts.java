package org.habitline.messaging.inbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * What providers posted, as they posted it, for as long as it is kept. It stands beside the texts
 * in a table of its own, so that forgetting it touches no text. What earlier versions wrote into
 * the texts' own tables is brought over by {@link #bring}; until then it is read where it is.
 */
@Singleton
public final class RawPosts {

  private final JdbcRawPosts rows;
  private final Transactions transactions;
  private final Clock systemClock;

  RawPosts(JdbcRawPosts rows, Transactions transactions, @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Keeps what was posted with a text, if anything was; joins the running transaction. */
  void keep(IncomingText text, @Nullable String participantId) {
    var raw = storable(text);
    if (raw != null) {
      rows.insert(text.providerId(), participantId, systemClock.instant(), raw);
    }
  }

  /** The same for texts that are stored together. */
  void keepAll(List<Arrivals.Known> texts) {
    var posted = texts.stream().filter(text -> text.text().raw() != null).toList();
    if (!posted.isEmpty()) {
      rows.insertAll(
          posted.stream().map(text -> text.text().providerId()).toArray(String[]::new),
          posted.stream().map(text -> text.sender().id()).toArray(String[]::new),
          posted.stream().map(text -> storable(text.text())).toArray(String[]::new),
          systemClock.instant());
    }
  }

  private static @Nullable String storable(IncomingText text) {
    return text.raw() == null ? null : PlainText.storable(text.raw());
  }

  /** Everything of a participant goes; joins the running transaction, in which their texts went. */
  public void erase(String participantId) {
    rows.erase(participantId);
    eraseThese(rows.claimed(participantId));
  }

  /** What belongs to these texts goes; joins, too. */
  public void eraseThese(List<String> providerIds) {
    InBatches.deleteAll(providerIds, rows::eraseThese);
  }

  /** Forgets what was posted before this instant; the texts themselves stay. */
  public void forget(Instant before) {
    InBatches.of(transactions).delete(most -> rows.from(before, most), rows::eraseThese);
  }

  /**
   * Forgets what belongs to people whom a node of an earlier version erased within this time: it
   * knew nothing of this table.
   */
  public void forgetErased(Duration within) {
    var since = systemClock.instant().minus(within);
    for (var participant : transactions.read(() -> rows.erasedSince(since))) {
      transactions.write(() -> {
        erase(participant);
      });
    }
    InBatches.of(transactions).delete(rows::ofErased, rows::eraseThese);
  }

  /** Where what was posted stood in earlier versions. */
  public enum Former {
    TEXTS,
    UNCLAIMED
  }

  /**
   * How far a batch came.
   *
   * @param last where the next one begins
   * @param end whether there was no text left
   * @param held whether somebody holds the next one at this moment
   */
  public record Brought(long last, boolean end, boolean held) {}

  /**
   * Brings what was posted with the next texts over; joins the running transaction.
   *
   * @param after the place in the order of the texts behind which to begin
   * @param most how many texts to look at
   * @param since what is older is forgotten instead
   */
  public Brought bring(Former former, long after, int most, Instant since) {
    var texts = former == Former.TEXTS;
    var last = texts ? rows.lastText(after, most) : rows.lastUnclaimed(after, most);
    if (last.isEmpty()) {
      return new Brought(after, true, false);
    }
    var held = texts ? rows.holdTexts(after, last.get()) : rows.holdUnclaimed(after, last.get());
    if (!held.isEmpty() && texts) {
      rows.copyTexts(held, since);
      rows.clearTexts(held);
    } else if (!held.isEmpty()) {
      rows.copyUnclaimed(held, since);
      rows.clearUnclaimed(held);
    }
    Optional<Long> left =
        texts ? rows.leftText(after, last.get()) : rows.leftUnclaimed(after, last.get());
    return new Brought(left.map(seq -> seq - 1).orElse(last.get()), false, left.isPresent());
  }
}
