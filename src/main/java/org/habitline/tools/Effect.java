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

  /** The change of one field, old → new, as kept in the change log; a JSON null means no value. */
  record Change(String field, JsonNode before, JsonNode after) {}
}
