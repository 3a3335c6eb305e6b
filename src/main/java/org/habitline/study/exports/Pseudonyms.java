package org.habitline.study.exports;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;

/**
 * Gives each participant a random word for exports, once. The word tells nothing about the person
 * or the order of enrolment. Of an erased participant only a number without any link is kept: how
 * many days they had been in the study.
 */
@Singleton
final class Pseudonyms implements ParticipantListener {

  private static final int AT_A_TIME = 500;

  /** Letters and digits that nobody confuses. */
  private static final String LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ";

  private static final int LENGTH = 8;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final JdbcPseudonyms rows;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  Pseudonyms(
      JdbcPseudonyms rows,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** Gives a word to every participant who has none. May run on several nodes at once. */
  void complete() {
    var missing = transactions.read(() -> rows.missing(AT_A_TIME));
    while (!missing.isEmpty()) {
      var these = missing;
      transactions.write(() -> {
        for (var row : these) {
          rows.insert(row.id(), word());
        }
      });
      missing = transactions.read(() -> rows.missing(AT_A_TIME));
    }
  }

  private static String word() {
    return RANDOM
        .ints(LENGTH, 0, LETTERS.length())
        .collect(
            StringBuilder::new,
            (word, letter) -> word.append(LETTERS.charAt(letter)),
            StringBuilder::append)
        .toString();
  }

  @Override
  public void leaving(Participant participant) {
    count(participant, clock.instant());
  }

  /** The row of the first erasure is not in the backup that was restored. */
  @Override
  public void leftBefore(Participant participant, Instant at) {
    var ahead = Duration.between(systemClock.instant(), clock.instant());
    count(participant, at.plus(ahead));
  }

  private void count(Participant participant, Instant left) {
    if (!participant.contact()) {
      var enrolled = participant.enrolledAt().atZone(participant.zone()).toLocalDate();
      var day = left.atZone(participant.zone()).toLocalDate();
      rows.countErased(
          Ids.next("erased"), (int) ChronoUnit.DAYS.between(enrolled, day) + 1, participant.id());
    }
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.forget(participantId);
    rows.forgetDecisions(participantId);
  }
}
