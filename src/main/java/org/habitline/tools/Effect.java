package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A change a tool asks for. Nothing has happened yet: the turn applies its effects in the one
 * transaction that commits it, or none of them.
 */
public sealed interface Effect {

  /** The sub-state of the next turn. */
  record MoveState(String from, String to, String reason) implements Effect {}

  /** The whole profile as it shall be, and what changed in it. */
  record SaveProfile(Profile profile, List<Change> changes) implements Effect {}

  /** The newest personal prompt. */
  record StoreHabitPrompt(String text) implements Effect {}

  /** One field, old → new, as kept in the change log; a JSON null means "nothing". */
  record Change(String field, JsonNode before, JsonNode after) {}
}
