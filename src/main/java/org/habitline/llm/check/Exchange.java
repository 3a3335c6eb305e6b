package org.habitline.llm.check;

import java.util.Locale;

/** The exchanges that a check plays, in order, each with what its outcome means for a study. */
enum Exchange {
  REPLY(
      "reply in the language asked",
      "Replies follow the language and the instructions of the prompt file",
      "Replies do not follow the prompt file",
      "instructions in the prompt file, such as the language of replies"),
  TOOL_CALL(
      "tool call",
      "The coach can save profiles and schedules",
      "The coach cannot save profiles or schedules",
      "anything that the coach saves: profiles, schedules, changes of module"),
  TOOL_RESULT(
      "tool result in the reply",
      "Replies take account of what a tool returned",
      "Replies do not take account of what a tool returned",
      "replies that repeat what a tool returned, such as a habit prompt"),
  PARALLEL_CALLS(
      "several tool calls at once",
      "One reply may contain several tool calls",
      "Several tool calls take several requests, and more time",
      "several tool calls in one reply (parallel_tool_calls in the flow)"),
  OPTIONAL_ARGUMENT(
      "tool call without optional value",
      "The model leaves out what the participant did not say",
      "Tool calls may contain values that the participant did not say",
      "saved values that are optional; check them on the participant's page"),
  LONG_HISTORY(
      "30 messages of history",
      "Replies take account of a long conversation",
      "Replies ignore the beginning of a long conversation",
      "the memory of a long conversation; a larger context size may help"),
  LAST_REPLY(
      "last reply without tool calls",
      "A turn always ends with a message to the participant",
      "A turn can end with the flow's fallback message",
      "a reply at the end of a turn with many tool calls"),
  STREAMING(
      "streaming",
      "Replies appear in the live chat while they are written",
      "The live chat shows replies only when they are complete",
      "replies that appear in the live chat while they are written"),
  USAGE(
      "token counts",
      "The study record contains the tokens of each reply",
      "The study record lacks token counts",
      "token counts, and costs that are computed from them"),
  CANCEL(
      "cancelling a reply",
      "A reply that is no longer needed stops at once",
      "The server completes replies that are no longer needed",
      "stopping a reply to save time or costs");

  private final String title;
  private final String good;
  private final String bad;
  private final String unreliable;

  Exchange(String title, String good, String bad, String unreliable) {
    this.title = title;
    this.good = good;
    this.bad = bad;
    this.unreliable = unreliable;
  }

  /** Returns the exchange's name in the JSON report. */
  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  String title() {
    return title;
  }

  /** Returns what a study must not rely on if the exchange does not work. */
  String unreliable() {
    return unreliable;
  }

  Finding play(Talk talk) {
    return switch (this) {
      case REPLY -> Replies.inTheLanguageAsked(talk);
      case TOOL_CALL -> ToolCalls.one(talk);
      case TOOL_RESULT -> ToolCalls.resultUsed(talk);
      case PARALLEL_CALLS -> ToolCalls.several(talk);
      case OPTIONAL_ARGUMENT -> ToolCalls.optional(talk);
      case LONG_HISTORY -> Replies.afterLongHistory(talk);
      case LAST_REPLY -> ToolCalls.noneAllowed(talk);
      case STREAMING -> Streams.inPieces(talk);
      case USAGE -> Streams.usage(talk);
      case CANCEL -> Streams.cancelled(talk);
    };
  }

  /** Returns one sentence that says what a finding means for a study. */
  String consequence(Finding finding) {
    var detail = finding.detail();
    return finding.verdict() == Verdict.DOES_NOT_WORK
        ? bad + ": " + detail + "."
        : good + (detail.isEmpty() ? "" : "; " + detail) + ".";
  }
}
