package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.habitline.timers.Agenda;

/**
 * A change a tool asks for. Nothing has happened yet: the turn applies its effects in the one
 * transaction that commits it, or none of them.
 */
public sealed interface Effect {

  /** The sub-state of the next turn. */
  record MoveState(String from, String to, String reason) implements Effect {}

  /** The sub-state from an instant on; takes the place of a move that still waits. */
  record MoveLater(String to, Instant dueAt, String reason) implements Effect {}

  /** The whole profile as it shall be, and what changed in it. */
  record SaveProfile(Profile profile, List<Change> changes) implements Effect {}

  /** The newest personal prompt, which the model speaks as its reply. */
  record StoreHabitPrompt(String text) implements Effect {}

  /** The newest personal prompt, which the next scheduled prompt shall say. */
  record PrepareHabitPrompt(String text) implements Effect {}

  /** A schedule that shall run from now on; one in the same slot ends. */
  record Plan(Agenda.Planned planned) implements Effect {}

  /** A schedule that shall run no more. */
  record Unplan(String scheduleId) implements Effect {}

  /**
   * The participant lives by another clock from now on.
   *
   * @param agenda their schedules as they come there
   */
  record MoveZone(ZoneId zone, Agenda agenda) implements Effect {}

  /** One field, old → new, as kept in the change log; a JSON null means "nothing". */
  record Change(String field, JsonNode before, JsonNode after) {}
}
