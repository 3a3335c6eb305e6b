package org.habitline.conversation;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Optional;
import org.habitline.timers.CalendarRule;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;

/** What the turn of a wake-up does beside its texts and effects, in the transaction it commits. */
sealed interface Deed {

  /**
   * The prompt of an occurrence goes out.
   *
   * @param asksIntensity the local date on which the intensity is asked for with it, if it is
   */
  record Prompted(Occurrence.Key key, Optional<LocalDate> asksIntensity) implements Deed {}

  /** The time of an occurrence passed without a prompt. */
  record Missed(Occurrence.Key key, String reason) implements Deed {}

  /** Whoever was silent after a prompt is reminded; nobody waits for a reply any more. */
  record Reminded(Occurrence.Key key) implements Deed {}

  /** The reminder of a prompt is not sent; nobody waits for a reply any more. */
  record NotReminded(Occurrence.Key key) implements Deed {}

  /**
   * The participant is asked how a prompt went, or is not asked after all.
   *
   * @param feedbackState what holds then
   */
  record CheckedIn(String feedbackState) implements Deed {}

  /** The coach takes up later: it is night for the participant. */
  record HandedBackLater(Instant at) implements Deed {}

  /** Another module answers from now on. */
  record Moved(String to) implements Deed {}

  /** What a script asked for was sent, or why it was not is written down; a schedule goes on. */
  record Scripted(Errand errand, Settled settled) implements Deed {}

  /** Somebody chose who was asked by a script, and is told what belongs to that. */
  record Chosen() implements Deed {}

  /**
   * What a script asked for: at once, or by a schedule.
   *
   * @param type of the prompt
   * @param by whose script
   */
  record Errand(String type, String by, @Nullable String requestId, @Nullable Ring ring) {}

  /** One occurrence of a schedule. */
  record Ring(String scheduleId, CalendarRule rule, Instant dueAt) {}

  /**
   * What came of it.
   *
   * @param opens the choice that is open from now on
   */
  record Settled(Status status, @Nullable String reason, @Nullable OpenBranch opens) {

    /** How it stands in the records. */
    enum Status {
      /** In the outbox, whose ledger tells the rest. */
      QUEUED,
      CANCELLED,
      FAILED,
      /** Its turn has not come yet. */
      WAITING;

      /** Whether nothing is sent. */
      boolean unsent() {
        return this == CANCELLED || this == FAILED;
      }

      String word() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    static Settled queued(@Nullable OpenBranch opens) {
      return new Settled(Status.QUEUED, null, opens);
    }

    static Settled cancelled(String reason) {
      return new Settled(Status.CANCELLED, reason, null);
    }

    static Settled failed(String reason) {
      return new Settled(Status.FAILED, reason, null);
    }
  }

  /** Nothing more. */
  record Nothing() implements Deed {}
}
