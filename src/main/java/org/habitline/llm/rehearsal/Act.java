package org.habitline.llm.rehearsal;

import java.util.Map;

/** What the script does next: one call, or a text. */
sealed interface Act {
  record Say(String text) implements Act {}

  /** Arguments that are not given go out as null, as strict schemas demand. */
  record Call(String tool, Map<String, Object> arguments) implements Act {}
}
