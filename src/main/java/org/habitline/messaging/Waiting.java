package org.habitline.messaging;

import java.time.Instant;
import org.habitline.messaging.inbox.InputKind;

/**
 * What waits, of one kind.
 *
 * @param <K> what kinds there are: {@link InputKind} of the inbox, a channel of the outbox
 * @param what the kind
 * @param count how many; no more than {@link #COUNTED} are counted
 * @param oldest since when the oldest of them waits, system time
 * @param due since when one could have gone on, which is later for what is put off on purpose; in
 *     the future if all of it is
 */
public record Waiting<K>(K what, long count, Instant oldest, Instant due) {

  /** More are not counted, so that looking costs the same however long a queue is. */
  public static final int COUNTED = 10_000;
}
