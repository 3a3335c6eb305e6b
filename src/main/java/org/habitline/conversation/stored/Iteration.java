package org.habitline.conversation.stored;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompt;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.jspecify.annotations.Nullable;

/**
 * One model call of a turn (seed 004), with the messages that were new in it. The first iteration
 * holds the whole context; the messages of all iterations so far, in order, are the request.
 *
 * @param number from 1, without gaps
 * @param child 0 for the loop's own call, 1… for the calls that this iteration's tools made
 * @param requestHash SHA-256 of the request; the model's reply is reused only for the same request
 * @param asked what the request held beside these messages
 */
public record Iteration(
    int number,
    int child,
    String requestHash,
    Asked asked,
    List<ModelMessage> messages,
    ModelReply answer,
    List<CallRecord> toolCalls,
    Map<String, String> metadata,
    Instant startedAt,
    @Nullable Instant completedAt) {

  /**
   * Returns the metadata to record about a model call: the file of its prompt and the hash of what
   * the model saw, the tokens that the server had cached, and the model that was asked first if
   * another one answered.
   */
  public static Map<String, String> provenance(Prompt prompt, ModelReply answer) {
    var all = new TreeMap<String, String>();
    all.put("prompt_file", prompt.file());
    all.put("prompt_sha256", prompt.sha256());
    all.put("prompt_rendered_sha256", prompt.renderedSha256());
    var receipt = answer.receipt();
    if (receipt.cachedTokens() != null) {
      all.put("cached_tokens", receipt.cachedTokens().toString());
    }
    if (receipt.instead() != null) {
      all.put("fallback_from", receipt.instead().model());
      all.put("fallback_because", receipt.instead().failure().word());
    }
    return all;
  }

  /** Returns the metadata to record about a module's model call. */
  public static Map<String, String> provenance(
      FlowModule module, Prompt prompt, ModelReply answer) {
    var all = new TreeMap<>(provenance(prompt, answer));
    all.put("module", module.id());
    return all;
  }

  /** Returns a copy whose calls have no results yet. */
  public Iteration open(List<CallRecord> calls) {
    return new Iteration(
        number, child, requestHash, asked, messages, answer, calls, metadata, startedAt, null);
  }

  /** Returns a copy with other metadata. */
  public Iteration with(Map<String, String> other) {
    return new Iteration(
        number,
        child,
        requestHash,
        asked,
        messages,
        answer,
        toolCalls,
        other,
        startedAt,
        completedAt);
  }

  public Iteration completed(List<CallRecord> results, Instant at) {
    return new Iteration(
        number, child, requestHash, asked, messages, answer, results, metadata, startedAt, at);
  }
}
