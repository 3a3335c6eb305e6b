package org.habitline.messaging.inbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what providers posted, unchanged, for a limited time. It is in a table of its own, so that
 * deleting it does not touch the texts.
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
}
