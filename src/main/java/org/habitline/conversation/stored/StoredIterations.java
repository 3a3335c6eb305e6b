package org.habitline.conversation.stored;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.habitline.conversation.stored.IterationContext.Message;
import org.habitline.conversation.stored.IterationContext.ToolCallRecord;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.ToolResult;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ToolCall;
import org.habitline.messaging.inbox.PlainText;
import org.jspecify.annotations.Nullable;

/**
 * Puts the rows of a turn's model calls into the shape of seed 004. A row holds the messages that
 * were new in its request, which begin with the model's previous answer and the results of its tool
 * calls; here, both belong to the iteration that asked.
 */
final class StoredIterations {

  private final List<JdbcIterations.Row> rows;
  private final List<List<ModelMessage>> requests;
  private final Map<Integer, List<Map<String, Object>>> children = new LinkedHashMap<>();

  private StoredIterations(
      List<JdbcIterations.Row> all, Function<JdbcIterations.Row, List<ModelMessage>> messages) {
    rows = all.stream().filter(row -> row.child() == 0).toList();
    requests = rows.stream().map(messages).toList();
    all.stream()
        .filter(row -> row.child() > 0)
        .forEach(row ->
            children
                .computeIfAbsent(row.number(), n -> new ArrayList<>())
                .add(child(row, messages.apply(row))));
  }

  /**
   * Returns the iterations of a turn.
   *
   * @param rows all rows of the turn, by number and child
   * @param messages the messages that were new in the request of a row
   */
  static IterationContext context(
      List<JdbcIterations.Row> rows, Function<JdbcIterations.Row, List<ModelMessage>> messages) {
    var stored = new StoredIterations(rows, messages);
    var read = new ArrayList<IterationContext.Iteration>();
    for (int place = 0; place < stored.rows.size(); place++) {
      read.add(stored.iteration(place));
    }
    return IterationContext.of(read);
  }

  private IterationContext.Iteration iteration(int place) {
    var row = rows.get(place);
    var messages = new ArrayList<>(requests.get(place).subList(answered(place), size(place)));
    messages.addAll(
        place + 1 < rows.size()
            ? requests.get(place + 1).subList(0, answered(place + 1))
            : lastAnswer(row));
    return new IterationContext.Iteration(
        row.number(),
        messages.stream().map(Message::of).toList(),
        TurnJson.calls(row.toolCalls()).stream().map(ToolCallRecord::of).toList(),
        row.startedAt(),
        row.completedAt(),
        TurnJson.values(metadata(row)));
  }

  private int size(int place) {
    return requests.get(place).size();
  }

  /** Returns how many messages of a request answer the request before it. */
  private int answered(int place) {
    var count = 0;
    while (place > 0
        && count < size(place)
        && (requests.get(place).get(count) instanceof AssistantText
            || requests.get(place).get(count) instanceof ToolResult)) {
      count++;
    }
    return count;
  }

  /** Returns what the newest model call led to, which no later request repeats. */
  private static List<ModelMessage> lastAnswer(JdbcIterations.Row row) {
    if (row.answer() == null) {
      return List.of();
    }
    return switch (TurnJson.reply(row.answer())) {
      case ModelReply.Says says -> said(says.text());
      case ModelReply.CallsTools called -> called(row, called.text(), called.calls());
      case ModelReply.CutOff cutOff ->
          cutOff.calls().isEmpty()
              ? said(cutOff.text())
              : called(row, cutOff.text(), cutOff.calls());
      case ModelReply.Refused refused -> List.of();
      case ModelReply.Failed failed -> List.of();
    };
  }

  /** Returns a text as it is sent to the participant. */
  private static List<ModelMessage> said(@Nullable String text) {
    var words = text == null ? "" : PlainText.storable(text).strip();
    return words.isEmpty() ? List.of() : List.of(new AssistantText(words, List.of()));
  }

  private static List<ModelMessage> called(
      JdbcIterations.Row row, @Nullable String text, List<ToolCall> calls) {
    var messages = new ArrayList<ModelMessage>();
    messages.add(new AssistantText(text, calls));
    for (var call : TurnJson.calls(row.toolCalls())) {
      if (call.result() != null) {
        messages.add(new ToolResult(call.id(), call.result()));
      }
    }
    return messages;
  }

  private Map<String, Object> metadata(JdbcIterations.Row row) {
    var metadata = about(row);
    var nested = children.get(row.number());
    if (nested != null) {
      metadata.put("nested", nested);
    }
    return metadata;
  }

  private static Map<String, Object> child(JdbcIterations.Row row, List<ModelMessage> messages) {
    var metadata = about(row);
    metadata.put("messages", messages.stream().map(Message::of).toList());
    return metadata;
  }

  private static Map<String, Object> about(JdbcIterations.Row row) {
    var metadata = new LinkedHashMap<String, Object>();
    var stored = TurnJson.tree(row.metadata());
    stored.properties().forEach(entry -> metadata.put(entry.getKey(), entry.getValue().asText()));
    metadata.put("request_hash", row.requestHash());
    if (row.answer() != null) {
      var answer = TurnJson.reply(row.answer());
      metadata.put("answer", answer(answer));
      text(answer).ifPresent(text -> metadata.put("text", text));
      metadata.put("receipt", answer.receipt());
    }
    return metadata;
  }

  private static String answer(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says -> "says";
      case ModelReply.CallsTools calls -> "calls_tools";
      case ModelReply.Refused refused -> "refused";
      case ModelReply.CutOff cutOff -> "cut_off";
      case ModelReply.Failed failed -> "failed";
    };
  }

  private static Optional<String> text(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says -> Optional.of(says.text());
      case ModelReply.CallsTools calls -> Optional.ofNullable(calls.text());
      case ModelReply.CutOff cutOff -> Optional.ofNullable(cutOff.text());
      case ModelReply.Refused refused -> Optional.of(refused.reason());
      case ModelReply.Failed failed -> Optional.of(failed.reason());
    };
  }
}
