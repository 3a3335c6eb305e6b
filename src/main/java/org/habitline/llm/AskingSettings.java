package org.habitline.llm;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of the requests to a model.
 *
 * @param attemptTimeout {@code MODEL_ATTEMPT_TIMEOUT}: time limit of one request
 * @param tokenBudget {@code MODEL_TOKEN_BUDGET}: the most tokens of a request; a longer context
 *     loses its oldest messages
 * @param quirks {@code MODEL_QUIRKS}: names of {@link ModelQuirk}s, separated by commas
 */
@ConfigurationProperties("model")
public record AskingSettings(Duration attemptTimeout, int tokenBudget, @Nullable String quirks) {}
