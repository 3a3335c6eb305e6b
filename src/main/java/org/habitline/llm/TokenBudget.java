package org.habitline.llm;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a request within the tokens a model can read. Tokens are counted with the {@code
 * o200k_base} encoding; other models' counts differ a little, so the budget should leave room. Safe
 * for any number of threads.
 */
@Singleton
public final class TokenBudget {

  /** What each message costs beside its text, after OpenAI's counting rule. */
  private static final int PER_MESSAGE = 4;

  private final int budget;
  private @Nullable Encoding encoding;

  TokenBudget(AskingSettings settings) {
    this.budget = settings.tokenBudget();
  }

  /**
   * Returns the newest messages of the history for which there is room. Oldest go first, by whole
   * messages; what stands before and after the history is never touched.
   */
  public List<ModelMessage> fit(
      List<ModelMessage> before, List<ModelMessage> history, List<ModelMessage> after) {
    if (bytes(before) + bytes(history) + bytes(after) <= budget) {
      return history;
    }
    var room = budget - tokens(before) - tokens(after);
    var from = history.size();
    while (from > 0) {
      room -= tokens(history.get(from - 1));
      if (room < 0) {
        break;
      }
      from--;
    }
    return history.subList(from, history.size());
  }

  /** A token is at least one byte, so few bytes need no counting. */
  private static long bytes(List<ModelMessage> messages) {
    return messages.stream()
        .mapToLong(message -> text(message).getBytes(StandardCharsets.UTF_8).length + PER_MESSAGE)
        .sum();
  }

  private int tokens(List<ModelMessage> messages) {
    return messages.stream().mapToInt(this::tokens).sum();
  }

  private int tokens(ModelMessage message) {
    return encoding().countTokensOrdinary(text(message)) + PER_MESSAGE;
  }

  private static String text(ModelMessage message) {
    var content = message.content();
    return content == null ? "" : content;
  }

  private synchronized Encoding encoding() {
    if (encoding == null) {
      encoding = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
    }
    return encoding;
  }
}
