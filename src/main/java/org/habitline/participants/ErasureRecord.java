package org.habitline.participants;

import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Records erasures outside the database, before anything is erased: restoring a backup brings an
 * erased participant back, but not the record that they were erased.
 */
public interface ErasureRecord {

  /**
   * A requested erasure.
   *
   * @param at when it was requested
   * @param senders hashes of the participant's number and of the names that providers use for them
   */
  record Entry(String participantId, Instant at, boolean keepTranscript, List<String> senders) {
    public Entry {
      senders = List.copyOf(senders);
    }
  }

  /**
   * Adds an entry; returns once it is on the disk.
   *
   * @throws RuntimeException if it cannot be written; the erasure must not begin then
   */
  void add(Entry entry);

  /**
   * Marks an added entry as withdrawn, because the erasure was refused or rolled back. Does not
   * throw: if this cannot be written either, the next start carries the erasure out.
   */
  void withdraw(Entry entry);

  /**
   * Returns the entries that were not withdrawn.
   *
   * @throws RuntimeException if they cannot be read
   */
  Collection<Entry> entries();
}
