package org.habitline.study.coding;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Keeps coded outcomes: one code of each coder for each prompt, the last one. */
@Singleton
final class OutcomeCodes implements ParticipantListener {

  /** More than one participant gets prompts. */
  private static final int MOST = 100_000;

  private final JdbcOutcomeCodes rows;
  private final Participants participants;
  private final Transactions transactions;
  private final Clock clock;

  OutcomeCodes(
      JdbcOutcomeCodes rows, Participants participants, Transactions transactions, Clock clock) {
    this.rows = rows;
    this.participants = participants;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Stores what a version of the model's coder says of a window, in place of what it said before.
   * Returns false if the participant is erased or being erased; nothing is stored then.
   *
   * @param returned the model that answered, if its server named it
   */
  boolean ofModel(
      OutcomeWindow window, String version, @Nullable String returned, CodedOutcome outcome) {
    return store(window, Coder.MODEL, version, returned, null, outcome);
  }

  /** Stores what a member of staff says of a window, as {@link #ofModel} does. */
  boolean ofStaff(OutcomeWindow window, String who, CodedOutcome outcome) {
    return store(window, Coder.STAFF, null, null, who, outcome);
  }

  private boolean store(
      OutcomeWindow window,
      Coder coder,
      @Nullable String version,
      @Nullable String returned,
      @Nullable String who,
      CodedOutcome outcome) {
    var id = window.participantId();
    var date = window.key().date().toString();
    var slot = window.key().slot();
    var texts = window.textIds().size();
    return transactions.write(() -> {
      participants.hold(id);
      if (participants.find(id).isEmpty()) {
        return false;
      }
      var now = clock.instant();
      var last = window.lastTextId();
      if (rows.change(id, date, slot, version, who, outcome, returned, texts, last, now) == 0) {
        var _ =
            rows.save(
                new JdbcOutcomeCodes.Row(
                    null, id, date, slot, coder, version, who, outcome, texts, last, now,
                    returned));
      }
      return true;
    });
  }

  /** Returns the codes of a version about one participant. */
  List<JdbcOutcomeCodes.Row> ofVersion(String participantId, String version) {
    return transactions.read(() -> rows.ofVersion(participantId, version, MOST));
  }

  /** Returns the newest code of a member of staff, if there is one. */
  Optional<JdbcOutcomeCodes.Row> lastOfStaff(String who) {
    return transactions.read(() -> rows.lastOfStaff(who));
  }

  /** Returns how many prompts a member of staff has coded. */
  int numberOfStaff(String who) {
    return transactions.read(() -> rows.numberOfStaff(who));
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
