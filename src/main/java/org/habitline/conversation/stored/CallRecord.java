package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.habitline.tools.ToolOutcome;
import org.jspecify.annotations.Nullable;

/**
 * One tool call of an iteration (seed 004). The result is {@code null} until the call has run: a
 * crash can leave it so. The resumed turn then runs a local tool again, but never a call that acts
 * outside and has begun.
 *
 * @param source the server whose tool is called, such as {@code mcp:calendar}, or {@code null} if
 *     the tool is local
 * @param begun whether a call of another server's tool was about to run; on disk before it runs
 */
public record CallRecord(
    String id,
    String name,
    String arguments,
    @Nullable String result,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String source,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean begun) {

  private static final String LOCAL = "local";

  /** Returns a call that has no result and has not begun. */
  public static CallRecord open(String id, String name, String arguments, @Nullable String source) {
    return new CallRecord(id, name, arguments, null, source, false);
  }

  /** Returns the call with its result. */
  public CallRecord with(String result) {
    return new CallRecord(id, name, arguments, result, source, begun);
  }

  /** Returns the call without its words: its arguments, and all of its result but the status. */
  public CallRecord cleared() {
    var status = succeeded() ? ToolOutcome.SUCCESS : "error";
    return new CallRecord(id, name, "", "{\"status\":\"" + status + "\"}", source, begun);
  }

  /** Returns whether the call has a result that says that it succeeded. */
  public boolean succeeded() {
    return TurnJson.status(result).equals(ToolOutcome.SUCCESS);
  }

  /** Returns the call as one that is about to run. */
  public CallRecord beginning() {
    return new CallRecord(id, name, arguments, result, source, true);
  }

  /** Returns whether the call reached, or may have reached, another server. */
  public boolean actedOutside() {
    return source != null && begun;
  }

  /** Returns the source for events: {@code local}, or the server's. */
  public String shownSource() {
    return source == null ? LOCAL : source;
  }
}
