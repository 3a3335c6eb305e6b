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
 * Keeps what providers posted, unchanged, for a limited time. It is in a table of its own, so that
 * deleting it does not touch the texts. {@link #bring} moves over what earlier versions wrote into
 * the texts' own tables; until then it is read where it is.
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

  /** Stores what was posted with a text, if anything was; joins the running transaction. */
  void keep(IncomingText text, @Nullable String participantId) {
    var raw = storable(text);
    if (raw != null) {
      rows.insert(text.providerId(), participantId, systemClock.instant(), raw);
    }
  }

  /** Stores what was posted with several texts; joins the running transaction. */
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

  /** Erases all posts of a participant; joins the transaction in which their texts were erased. */
  public void erase(String participantId) {
    rows.erase(participantId);
    eraseThese(rows.claimed(participantId));
  }

  /** Erases the posts of these texts; joins the running transaction. */
  public void eraseThese(List<String> providerIds) {
    InBatches.deleteAll(providerIds, rows::eraseThese);
  }

  /**
   * Deletes what was posted before this instant, and returns how many posts those were; the texts
   * themselves stay.
   */
  public long forget(Instant before) {
    var posts = new long[1];
    InBatches.of(transactions)
        .delete(
            most -> rows.from(before, most),
            ids -> {
              posts[0] += ids.size();
              rows.eraseThese(ids);
            });
    return posts[0];
  }

  /**
   * Deletes the posts of participants whom a node of an earlier version erased within this time: it
   * did not know this table.
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

  /** Where earlier versions stored what was posted. */
  public enum Former {
    TEXTS,
    UNCLAIMED
  }

  /**
   * The progress of a batch.
   *
   * @param last where the next batch begins
   * @param end whether there was no text left
   * @param held whether the next text is locked at this moment
   */
  public record Brought(long last, boolean end, boolean held) {}

  /**
   * Moves what was posted with the next texts to this table; joins the running transaction.
   *
   * @param after the sequence number after which to begin
   * @param most how many texts to look at
   * @param since posts older than this are deleted instead
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
