package org.habitline.conversation.stored;

import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.llm.ModelMessage;
import org.habitline.storage.Transactions;

/**
 * Rebuilds the requests of model calls from the record alone: the calls' own rows, the transcript,
 * and the prompts and tools kept by their hashes. Asks no model and reads no file.
 */
@Singleton
public final class StoredRequests {

  private static final TypeReference<Asked> ASKED = new TypeReference<>() {};

  private final JdbcIterations iterations;
  private final JdbcTranscript transcript;
  private final JdbcPromptTexts prompts;
  private final JdbcSharedContents contents;
  private final Transactions transactions;

  StoredRequests(
      JdbcIterations iterations,
      JdbcTranscript transcript,
      JdbcPromptTexts prompts,
      JdbcSharedContents contents,
      Transactions transactions) {
    this.iterations = iterations;
    this.transcript = transcript;
    this.prompts = prompts;
    this.contents = contents;
    this.transactions = transactions;
  }

  /** How a rebuilt request compares with the one that was sent. */
  public enum Match {
    /** Its hash is the one that was recorded. */
    EQUAL,
    /** Its hash is another one. */
    UNEQUAL,
    /** A part of it was deleted, by retention or an erasure. */
    GONE
  }

  /**
   * A model call of a turn, replayed.
   *
   * @param number of the iteration, from 1
   * @param child 0, or the number of a tool's call in the iteration
   * @param recorded SHA-256 of the request that was sent
   * @param rebuilt SHA-256 of the rebuilt request, or empty if it could not be rebuilt
   */
  public record Replayed(
      int number, int child, Match match, String recorded, Optional<String> rebuilt) {}

  /** Returns the outcome of replaying each model call of a turn, in order. */
  public List<Replayed> replay(String participantId, int turn) {
    return transactions.read(() -> {
      var replayed = new ArrayList<Replayed>();
      Optional<List<ModelMessage>> before = Optional.of(List.of());
      for (var row : iterations.of(participantId, turn)) {
        var asked = asked(row);
        var own = messages(row);
        var all =
            row.child() > 0 || asked.whole()
                ? own
                : before.flatMap(earlier ->
                    own.map(it -> Stream.concat(earlier.stream(), it.stream()).toList()));
        if (row.child() == 0) {
          before = all;
        }
        replayed.add(replayed(row, asked, all));
      }
      return replayed;
    });
  }

  private Replayed replayed(
      JdbcIterations.Row row, Asked asked, Optional<List<ModelMessage>> messages) {
    if (row.clearedAt() != null) {
      return replayed(row, Match.GONE, Optional.empty());
    }
    var tools = Optional.ofNullable(asked.tools());
    var kept = tools.flatMap(contents::find).map(JdbcSharedContents.Row::content);
    if (messages.isEmpty() || kept.isPresent() != tools.isPresent()) {
      return replayed(row, Match.GONE, Optional.empty());
    }
    var rebuilt = TurnJson.hash(asked.request(messages.get(), kept.orElse(null)));
    return replayed(
        row, rebuilt.equals(row.requestHash()) ? Match.EQUAL : Match.UNEQUAL, Optional.of(rebuilt));
  }

  private static Replayed replayed(JdbcIterations.Row row, Match match, Optional<String> rebuilt) {
    return new Replayed(row.number(), row.child(), match, row.requestHash(), rebuilt);
  }

  /** Returns what a call's request held beside its messages. */
  public static Asked asked(JdbcIterations.Row row) {
    return TurnJson.read(row.request(), ASKED);
  }

  /**
   * Returns the messages that were new in a call's request, or empty if a part of them was deleted;
   * joins the running transaction.
   */
  public Optional<List<ModelMessage>> messages(JdbcIterations.Row row) {
    if (row.clearedAt() != null) {
      return Optional.empty();
    }
    var rest = TurnJson.messages(row.messages());
    var elsewhere = asked(row).elsewhere();
    if (elsewhere.equals(Asked.Elsewhere.NONE)) {
      return Optional.of(rest);
    }
    var prompt =
        elsewhere.prompt() == null
            ? Optional.of("")
            : prompts.findRendering(elsewhere.prompt()).map(JdbcPromptTexts.Row::content);
    var shown = shown(row.participantId(), elsewhere.history());
    return prompt.isEmpty() || shown.size() < elsewhere.history().size()
        ? Optional.empty()
        : Optional.of(elsewhere.with(rest, prompt.get(), shown));
  }

  /** Returns the messages that were new in a call's request, without those that were deleted. */
  List<ModelMessage> whatIsLeft(JdbcIterations.Row row) {
    return messages(row).orElseGet(() -> TurnJson.messages(row.messages()));
  }

  private List<ModelMessage> shown(String participantId, List<Long> numbers) {
    if (numbers.isEmpty()) {
      return List.of();
    }
    Map<Long, ModelMessage> found =
        transcript.numbered(participantId, numbers).stream()
            .collect(
                Collectors.toMap(
                    row -> Objects.requireNonNull(row.seq()),
                    row -> row.role().shown(row.content()),
                    (one, _) -> one));
    return numbers.stream().flatMap(number -> Stream.ofNullable(found.get(number))).toList();
  }
}
