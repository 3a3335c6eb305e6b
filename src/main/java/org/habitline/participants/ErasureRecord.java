package org.habitline.participants;

import java.time.Instant;

/**
 * Where an erasure is written down outside the database before anything of it happens: a backup
 * that is put back later brings the participant back, but not the knowledge that they had gone.
 */
public interface ErasureRecord {

  /**
   * Returns once the entry is on the disk.
   *
   * @throws RuntimeException if it cannot be written; the erasure must not begin then
   */
  void add(String participantId, Instant at, boolean keepTranscript);
}
