package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.habitline.timers.Agenda;

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

  /** Stores the newest personal prompt, which the model sends as its reply. */
  record StoreHabitPrompt(String text) implements Effect {}

  /** Stores the newest personal prompt, which the next scheduled prompt will send. */
  record PrepareHabitPrompt(String text) implements Effect {}

  /** Starts a schedule; one in the same slot ends. */
  record Plan(Agenda.Planned planned) implements Effect {}

  /** Ends a schedule. */
  record Unplan(String scheduleId) implements Effect {}

  /**
   * Changes the participant's time zone.
   *
   * @param agenda their schedules in the new zone
   */
  record MoveZone(ZoneId zone, Agenda agenda) implements Effect {}

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
