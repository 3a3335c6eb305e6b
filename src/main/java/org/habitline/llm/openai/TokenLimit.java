package org.habitline.llm.openai;

import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/**
 * The name under which a server takes the bound of an answer. OpenAI refuses {@code max_tokens} for
 * its reasoning models and wants {@code max_completion_tokens}; compatible servers all know the
 * older {@code max_tokens}, and several ignore or refuse the newer name.
 */
enum TokenLimit {
  MAX_TOKENS {
    @Override
    void set(ChatCompletionCreateParams.Builder params, long tokens) {
      // Deprecated by OpenAI only; the one name that every compatible server takes.
      params.putAdditionalBodyProperty("max_tokens", JsonValue.from(tokens));
    }
  },
  MAX_COMPLETION_TOKENS {
    @Override
    void set(ChatCompletionCreateParams.Builder params, long tokens) {
      params.maxCompletionTokens(tokens);
    }
  };

  abstract void set(ChatCompletionCreateParams.Builder params, long tokens);

  /** Returns what the server at a base URL takes; no base URL means OpenAI itself. */
  static TokenLimit at(Optional<URI> baseUrl) {
    var host = baseUrl.map(URI::getHost).orElse("api.openai.com").toLowerCase(Locale.ROOT);
    return host.equals("openai.com") || host.endsWith(".openai.com") || host.endsWith(".azure.com")
        ? MAX_COMPLETION_TOKENS
        : MAX_TOKENS;
  }
}
