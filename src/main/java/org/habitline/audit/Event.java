package org.habitline.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that just happened, for live pages. The payload is JSON and holds ids; only the events
 * of {@link #quotes} hold text.
 */
public record Event(
    long seq, Instant at, String type, @Nullable String participantId, String payload) {

  /** Returns whether the payload holds a part of a conversation: a reply, or a tool's arguments. */
  public boolean quotes() {
    return type.equals("message.delta") || type.startsWith("tool_call.");
  }
}
