package org.habitline.conversation;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import org.habitline.conversation.stored.RecordReader;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.habitline.tools.ExportFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the export files of this node in step with the stored exports: finishes what a crash or a
 * full disk left over, and deletes the files of participants who were erased. Safe for any number
 * of threads.
 */
@Singleton
public final class ExportCopies {

  private static final Logger log = LoggerFactory.getLogger(ExportCopies.class);

  /**
   * Longer than any turn takes: a file that was prepared earlier belongs to none that is running.
   */
  private static final Duration LONGER_THAN_A_TURN = Duration.ofHours(1);

  private final ExportFiles files;
  private final RecordReader records;
  private final Participants participants;
  private final Transactions transactions;
  private final Clock systemClock;

  ExportCopies(
      ExportFiles files,
      RecordReader records,
      Participants participants,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.files = files;
    this.records = records;
    this.participants = participants;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * Brings each file here in step with the stored export, discards what turns prepared and did not
   * commit, and deletes the files of everyone who was erased. A file that cannot be used does not
   * keep the others.
   *
   * @throws UncheckedIOException afterwards, if the folder or a file cannot be used
   */
  public void finish() {
    UncheckedIOException failure = null;
    for (var id : files.conversations()) {
      try {
        finish(id);
      } catch (UncheckedIOException e) {
        failure = e;
      }
    }
    files.lookAgain();
    if (failure != null) {
      throw failure;
    }
  }

  private void finish(String id) {
    if (participants.findWithContacts(id).isEmpty()) {
      files.erase(id);
    } else {
      records.export(id).ifPresent(export -> files.keep(id, export));
      files.discard(id, systemClock.instant().minus(LONGER_THAN_A_TURN));
    }
  }

  /**
   * Calls {@link #finish} before the service opens; a folder that cannot be used does not stop the
   * start.
   */
  public void atStart() {
    try {
      finish();
    } catch (UncheckedIOException e) {
      log.warn("{}; export files are finished once it can be used", e.getMessage());
    }
  }

  /** Deletes a participant's files once the running transaction is committed. */
  void erase(String participantId) {
    transactions.afterCommit(() -> {
      // A file that is left is deleted before the erasure counts as finished.
      var _ = files.isErased(participantId);
    });
  }
}
