package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page that explains one turn: every model call with what was new in it, the tools it called
 * and their results.
 *
 * @param zone the participant's time zone, in which all times are shown
 * @param zoneAssumed whether the zone is the service's default, because none was set
 * @param summary what happened, in one sentence
 * @param standIn why the flow's fallback message replaced the model's reply, or empty
 * @param note what else is recorded of a turn that did not fail, or empty
 * @param secondOpinion what the second opinion about the texts was, or empty
 * @param said the texts that the turn replies to, and its reply
 * @param partHidden whether words are hidden from the reader, because they belong to an incident
 * @param prompts the pinned prompt files
 * @param configuration the number of the configuration version that the turn began under
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
    String summary,
    String standIn,
    String note,
    String startedAt,
    String took,
    String secondOpinion,
    List<Said> said,
    boolean partHidden,
    List<PromptFile> prompts,
    long configuration,
    List<ModelCall> calls) {

  /** A message of the conversation. */
  public record Said(boolean ours, String text, String at) {}

  /**
   * A prompt file and the hash of its content.
   *
   * @param rendered the hash of what the model read
   */
  public record PromptFile(String file, String sha256, String rendered) {}

  /**
   * One model call.
   *
   * @param number its iteration
   * @param answer a clause that says how the model answered
   * @param gates what the gates decided about the text, or empty if they did not check it
   * @param gateVersion the version of the gates, or empty
   * @param nested the model calls that its tools made
   */
  public record ModelCall(
      int number,
      PromptFile prompt,
      Receipt receipt,
      String answer,
      String gates,
      String gateVersion,
      String text,
      List<Message> messages,
      List<ToolUse> tools,
      List<ModelCall> nested) {}

  /** What the call cost and which model replied. */
  public record Receipt(
      String modelAsked,
      String modelReturned,
      String finishReason,
      String requestId,
      long promptTokens,
      long completionTokens,
      long millis,
      int attempts) {
    /** Returns whether a different model replied than the one requested. */
    public boolean otherModel() {
      return !modelReturned.isEmpty() && !modelReturned.equals(modelAsked);
    }
  }

  /** A message that was new in a call: sent to the model, written by it, or a tool's result. */
  public record Message(String role, String text) {}

  /**
   * A tool call with its result, both as indented JSON.
   *
   * @param ended how it ended, in words
   * @param passages the passages of documents that it found
   */
  public record ToolUse(
      String name, String arguments, String result, String ended, List<Passage> passages) {}

  /** A passage of a document: where it is from, how well it fits, and how it begins. */
  public record Passage(String source, String score, String excerpt) {}
}
