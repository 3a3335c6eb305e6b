package org.habitline.ops.database;

import jakarta.inject.Singleton;
import java.util.Collection;
import org.habitline.participants.ErasedSenders;
import org.habitline.participants.ErasureRecord;
import org.habitline.participants.Participants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats erasures after an older database was restored: participants whom {@code erasures.jsonl}
 * names and the database still holds are erased at once, before the service replies or sends
 * anything, and their earlier texts stay ignored if a provider still lists them. They get no
 * message about it. Ids are never reused, so an entry cannot mean another person.
 */
@Singleton
public final class ErasedAgain {

  private static final Logger log = LoggerFactory.getLogger(ErasedAgain.class);

  private final Participants participants;
  private final ErasedSenders senders;
  private final ErasureFile file;
  private volatile int atStart;

  ErasedAgain(Participants participants, ErasedSenders senders, ErasureFile file) {
    this.participants = participants;
    this.senders = senders;
    this.file = file;
  }

  /** Erases the participants named in this home folder's own file. */
  public void atStart() {
    atStart = erase(file.entries());
    if (atStart > 0) {
      log.warn(notice());
    }
  }

  /**
   * Erases the participants of these entries whom the database still holds; returns how many there
   * were.
   */
  public int erase(Collection<ErasureRecord.Entry> entries) {
    var erased = 0;
    for (var entry : entries) {
      senders.note(entry.senders(), entry.at());
      if (participants.findWithContacts(entry.participantId()).isPresent()
          && participants.eraseAgain(entry.participantId(), entry.keepTranscript(), entry.at())) {
        erased++;
      }
    }
    return erased;
  }

  /** Returns a notice of the erasures that this start repeated; empty if there were none. */
  public String notice() {
    return atStart == 0
        ? ""
        : "This database held "
            + (atStart == 1
                ? "1 participant whose erasure is recorded"
                : atStart + " participants whose erasures are recorded")
            + " in "
            + ErasureFile.NAME
            + ", probably because a backup was restored. They were erased again. With several"
            + " nodes, run erase --again with the files of all nodes.";
  }
}
