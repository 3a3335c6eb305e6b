package org.habitline.llm;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps a request within the tokens a model can read. Tokens are counted with the {@code
 * o200k_base} encoding; other models' counts differ a little, so the budget should leave room. Safe
 * for any number of threads.
 */
@Singleton
public final class TokenBudget {

  /**
   * Tokens that each message and each tool costs besides its text, a little above OpenAI's own
   * rule.
   */
  private static final int OVERHEAD = 8;

  private final int budget;

  TokenBudget(AskingSettings settings) {
    this.budget = settings.tokenBudget();
  }

  /**
   * Returns the newest messages of the history that fit into the budget. Whole messages are
   * dropped, oldest first, and a tool result is dropped with its call. The tools and the messages
   * before and after the history are always kept, even if they alone exceed the budget.
   */
  public List<ModelMessage> fit(
      List<ToolSpec> tools,
      List<ModelMessage> before,
      List<ModelMessage> history,
      List<ModelMessage> after) {
    var fixed =
        Stream.concat(
                tools.stream().map(TokenBudget::text),
                Stream.concat(before.stream(), after.stream()).map(TokenBudget::text))
            .toList();
    var past = history.stream().map(TokenBudget::text).toList();
    if (bytes(fixed) + bytes(past) <= budget) {
      return history;
    }
    var room = budget - fixed.stream().mapToLong(TokenBudget::tokens).sum();
    var from = history.size();
    while (from > 0) {
      room -= tokens(past.get(from - 1));
      if (room < 0) {
        break;
      }
      from--;
    }
    while (from > 0
        && from < history.size()
        && history.get(from) instanceof ModelMessage.ToolResult) {
      from++;
    }
    return history.subList(from, history.size());
  }

  /** Returns an upper bound of the tokens without counting them: a token is at least one byte. */
  private static long bytes(List<String> texts) {
    return texts.stream()
        .mapToLong(text -> text.getBytes(StandardCharsets.UTF_8).length + OVERHEAD)
        .sum();
  }

  private static long tokens(String text) {
    return (long) Vocabulary.O200K.countTokensOrdinary(text) + OVERHEAD;
  }

  private static String text(ToolSpec tool) {
    return tool.name() + ' ' + tool.description() + ' ' + tool.schema();
  }

  private static String text(ModelMessage message) {
    var text = new StringBuilder();
    if (message.content() != null) {
      text.append(message.content());
    }
    if (message instanceof ModelMessage.AssistantText said) {
      for (var call : said.toolCalls()) {
        text.append(' ').append(call.id()).append(' ').append(call.name());
        text.append(' ').append(call.arguments());
      }
    }
    return text.toString();
  }

  /**
   * The vocabulary, loaded when a context is first long enough to be counted, because loading is
   * slow.
   */
  private static final class Vocabulary {
    static final Encoding O200K =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
  }
}
