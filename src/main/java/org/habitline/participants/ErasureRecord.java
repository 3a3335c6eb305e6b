package org.habitline.participants;

import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Where an erasure is written down outside the database before anything of it happens: a backup
 * that is put back later brings the participant back, but not the knowledge that they had gone.
 */
public interface ErasureRecord {

  /**
   * An erasure that was asked for.
   *
   * @param at when it was asked for
   * @param senders the hashes of the participant's number and of the names that providers have for
   *     them; empty if an earlier version wrote it
   */
  record Entry(String participantId, Instant at, boolean keepTranscript, List<String> senders) {
    public Entry {
      senders = List.copyOf(senders);
    }
  }

  /**
   * Returns once the entry is on the disk.
   *
   * @throws RuntimeException if it cannot be written; the erasure must not begin then
   */
  void add(Entry entry);

  /**
   * Notes that an erasure was refused or undone after its entry was added. Does not throw: if this
   * cannot be written either, the next start carries the erasure out.
   */
  void withdraw(Entry entry);

  /**
   * Returns the erasures that stand.
   *
   * @throws RuntimeException if they cannot be read
   */
  Collection<Entry> entries();
}
