package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import org.habitline.participants.Consent;
import org.habitline.participants.ConsentEntry;
import org.habitline.participants.ConsentStep;
import org.habitline.participants.ParticipantChange;
import org.habitline.timers.Agenda;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A change that a tool requests. It is not applied yet: the turn applies all of its effects in the
 * transaction that commits it, or none of them.
 */
public sealed interface Effect {

  /** Changes the module, from the next turn on. */
  record MoveState(String from, String to, String reason) implements Effect {}

  /** Changes the module at a later time; replaces a change that is still waiting. */
  record MoveLater(String to, Instant dueAt, String reason) implements Effect {}

  /** Stores the whole new profile, with a list of what changed in it. */
  record SaveProfile(Profile profile, List<Change> changes) implements Effect {}

  /** Shows staff that a flag of the participant became true. */
  record AlertStaff(String flag) implements Effect {}

  /** Shows staff the conversation: today, or at once and at any hour. */
  record FlagForStaff(FlagKind kind, FlagUrgency urgency) implements Effect {}

  /** Stores the newest personal prompt, which the model sends as its reply. */
  record StoreHabitPrompt(String text) implements Effect {}

  /** Stores the newest personal prompt, which the next scheduled prompt will send. */
  record PrepareHabitPrompt(String text) implements Effect {}

  /**
   * Records what came of a daily prompt.
   *
   * @param by a rule or the model
   */
  record RecordOutcome(
      Occurrence.Key prompt, PromptOutcome outcome, OutcomeEntry.By by, @Nullable String note)
      implements Effect {}

  /** Starts a schedule; one in the same slot ends. */
  record Plan(Agenda.Planned planned) implements Effect {}

  /** Ends a schedule. */
  record Unplan(String scheduleId) implements Effect {}

  /**
   * Changes the participant's time zone now, or plans that for a later day.
   *
   * @param change what changes about the participant
   * @param agenda their schedules after it
   */
  record MoveZone(ParticipantChange change, Agenda agenda) implements Effect {}

  /** Writes to the participant in another language of their flow, from the next turn on. */
  record SetLanguage(String language) implements Effect {}

  /**
   * Opts the participant out of messages, as a text does in which a rule finds the request.
   *
   * @param confirmation the only message that they still get
   */
  record OptOut(String confirmation) implements Effect {}

  /**
   * Stores what the participant answered to the question for consent. Only Habitline's own rule
   * returns it, never a tool.
   *
   * @param now the consent as it stands from now on
   * @param greets whether the coach greets the participant in the next turn
   */
  record AnswerConsent(Consent now, List<HeardConsent> steps, boolean greets) implements Effect {
    public AnswerConsent(Consent now, List<HeardConsent> steps) {
      this(now, steps, false);
    }

    /** Returns the same, with a greeting by the coach in the next turn. */
    public AnswerConsent thenGreets() {
      return new AnswerConsent(now, steps, true);
    }

    /** Returns the text that was the yes, as its number in the inbox; {@code null} if none was. */
    public @Nullable Long saidYes() {
      return steps.stream()
          .filter(it -> it.entry().step() == ConsentStep.YES)
          .findFirst()
          .map(HeardConsent::seq)
          .orElse(null);
    }
  }

  /**
   * A step on the way to consent.
   *
   * @param seq the number of the participant's text in the inbox, or {@code null} if the step has
   *     none
   */
  record HeardConsent(ConsentEntry entry, @Nullable Long seq) {}

  /** A change of one of the participant's records. */
  sealed interface RecordChange extends Effect {
    Records.Key key();
  }

  /**
   * Stores a record, new or in place of the one with the same kind and id.
   *
   * @param json its whole content as JSON text, at most 1,000,000 characters
   */
  record PutRecord(Records.Key key, String json) implements RecordChange {
    public PutRecord {
      if (json.length() > Records.LONGEST_JSON) {
        throw new IllegalArgumentException(
            "the record %s has %d characters; at most %d are stored"
                .formatted(key, json.length(), Records.LONGEST_JSON));
      }
    }
  }

  /** Deletes a record; does nothing if there is none. */
  record DeleteRecord(Records.Key key) implements RecordChange {}

  /** Gives the export file that a tool prepared its name, once the turn is committed. */
  record PublishExport(String conversationId, String edition) implements Effect {}

  /** The change of one field, old → new, as kept in the change log; a JSON null means no value. */
  record Change(String field, JsonNode before, JsonNode after) {}
}
