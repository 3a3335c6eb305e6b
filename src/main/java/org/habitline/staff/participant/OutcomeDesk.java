package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Map;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.OutcomeWriter;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.Participants;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Records what came of a daily prompt when staff say so, for the page and the REST API. The change
 * and its audit entry are one transaction.
 */
@Singleton
final class OutcomeDesk {

  /** The word that makes an outcome unknown again. */
  static final String UNKNOWN = "unknown";

  private static final int DATE_LENGTH = "2026-11-21".length();

  /** How many occurrences are read to find a date: a day has 10 at most. */
  private static final int ONE_DAY = 10;

  private final EnrolmentDesk desk;
  private final Participants participants;
  private final OccurrenceReader prompts;
  private final OutcomeWriter outcomes;
  private final AuditLog audit;
  private final Events events;
  private final Transactions transactions;

  OutcomeDesk(
      EnrolmentDesk desk,
      Participants participants,
      OccurrenceReader prompts,
      OutcomeWriter outcomes,
      AuditLog audit,
      Events events,
      Transactions transactions) {
    this.desk = desk;
    this.participants = participants;
    this.prompts = prompts;
    this.outcomes = outcomes;
    this.audit = audit;
    this.events = events;
    this.transactions = transactions;
  }

  /**
   * Records an outcome and returns the prompt as it is now.
   *
   * @param date the local date of the prompt
   * @param slot the slot of the prompt, or {@code null} for the last one of the date that was sent
   * @param outcome a word of {@link PromptOutcome}, or {@link #UNKNOWN}
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such participant, 409
   *     if no prompt was sent on this date or it has this outcome already
   */
  Occurrence record(
      Actor actor,
      String id,
      @Nullable String date,
      @Nullable Integer slot,
      @Nullable String outcome,
      @Nullable String note) {
    var day = date(date);
    var said = outcome(outcome);
    var why = note(note);
    return transactions.write(() -> {
      desk.participant(id);
      participants.hold(id);
      var prompt = sent(id, day, slot);
      var entry = OutcomeEntry.byStaff(said, actor.name(), why);
      if (!outcomes.record(id, prompt.key(), entry)) {
        throw ApiProblem.conflict("This outcome is already recorded for this prompt.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.OUTCOME_RECORDED)
              .to(id)
              .about(prompt.key().text())
              .changed(word(prompt.outcome()), word(said)));
      events.emit("participant.changed", id, Map.of("what", "outcome"));
      return sent(id, day, prompt.key().slot());
    });
  }

  private Occurrence sent(String id, LocalDate day, @Nullable Integer slot) {
    return prompts.newest(id, new Occurrence.Key(day.plusDays(1), 0), ONE_DAY).stream()
        .filter(it -> it.key().date().equals(day) && it.prompted())
        .filter(it -> slot == null || it.key().slot() == slot)
        .findFirst()
        .orElseThrow(() ->
            ApiProblem.conflict(
                "No daily prompt was sent to the participant on this date; only a prompt that was"
                    + " sent has an outcome."));
  }

  private static LocalDate date(@Nullable String date) {
    var problem =
        ApiProblem.bad("date: expected the local date of the prompt, such as 2026-11-21.");
    var said = date == null ? "" : date.strip();
    if (said.length() != DATE_LENGTH) {
      throw problem;
    }
    try {
      return LocalDate.parse(said);
    } catch (DateTimeParseException e) {
      throw problem;
    }
  }

  private static @Nullable PromptOutcome outcome(@Nullable String outcome) {
    var word = outcome == null ? "" : outcome.strip();
    if (word.equals(UNKNOWN)) {
      return null;
    }
    return PromptOutcome.of(word)
        .orElseThrow(() ->
            ApiProblem.bad(
                "outcome: expected one of %s, %s."
                    .formatted(String.join(", ", PromptOutcome.words()), UNKNOWN)));
  }

  private static @Nullable String note(@Nullable String note) {
    var said = note == null ? "" : PlainText.storable(note).strip();
    if (said.length() > OutcomeEntry.LONGEST_NOTE) {
      throw ApiProblem.bad(
          "note: too long; at most " + OutcomeEntry.LONGEST_NOTE + " characters are accepted.");
    }
    return said.isEmpty() ? null : said;
  }

  private static String word(@Nullable PromptOutcome outcome) {
    return outcome == null ? UNKNOWN : outcome.word();
  }
}
