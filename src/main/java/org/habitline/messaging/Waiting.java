package org.habitline.messaging;

import java.time.Instant;
import org.habitline.messaging.inbox.InputKind;

/**
 * Waiting items of one kind, counted.
 *
 * @param <K> the type of the kinds: {@link InputKind} in the inbox, a channel in the outbox
 * @param what the kind
 * @param count how many are waiting; at most {@link #COUNTED} are counted
 * @param oldest since when the oldest one has been waiting, in system time
 * @param due since when one could have been handled, which is later than {@code oldest} if it was
 *     put off on purpose; in the future if all of them were
 */
public record Waiting<K>(K what, long count, Instant oldest, Instant due) {

  /** The most items that are counted, so that the query costs the same however long a queue is. */
  public static final int COUNTED = 10_000;
}
