package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * Why the line said what it said in one turn: every model call with what was new in it, what tools
 * were asked for and what they said.
 *
 * @param zone the participant's, in which all times are
 * @param zoneAssumed whether it is the line's, because nobody named one
 * @param standIn why the flow's own text stood in for the model's words, or empty
 * @param note what else is recorded of a turn that did not fail, or empty
 * @param said the texts that it answers, and its answer
 * @param prompts the prompt files that were pinned
 */
public record WhyPage(
    PageFrame frame,
    String participantId,
    String name,
    String zone,
    boolean zoneAssumed,
    int number,
    String kind,
    String status,
    String module,
    int attempts,
    String outcome,
    String standIn,
    String note,
    String startedAt,
    String took,
    List<Said> said,
    List<PromptFile> prompts,
    List<ModelCall> calls) {

  /** A text of the conversation. */
  public record Said(boolean ours, String text, String at) {}

  /**
   * A prompt file by the hash of its content.
   *
   * @param rendered the hash of what the model read, or empty if that was not recorded
   */
  public record PromptFile(String file, String sha256, String rendered) {
    /** Enough of a hash to tell two apart by eye. */
    public static String shortened(String hash) {
      return hash.substring(0, Math.min(12, hash.length()));
    }
  }

  /**
   * One call of the model.
   *
   * @param number its iteration
   * @param nested the calls that its tools made
   */
  public record ModelCall(
      int number,
      PromptFile prompt,
      Receipt receipt,
      String answer,
      String text,
      List<Message> messages,
      List<ToolUse> tools,
      List<ModelCall> nested) {}

  /** What the call cost and who answered. */
  public record Receipt(
      String modelAsked,
      String modelReturned,
      String finishReason,
      String requestId,
      long promptTokens,
      long completionTokens,
      long millis,
      int attempts) {
    /** Whether another model answered than was asked. */
    public boolean otherModel() {
      return !modelReturned.isEmpty() && !modelReturned.equals(modelAsked);
    }
  }

  /** A message that was new in a call. */
  public record Message(String role, String text) {}

  /** A tool call with its result; both as JSON set out over lines. */
  public record ToolUse(String name, String arguments, String result) {}
}
