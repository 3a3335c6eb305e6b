package org.habitline.llm;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of asking a model.
 *
 * @param attemptTimeout {@code MODEL_ATTEMPT_TIMEOUT}: bound of one request
 * @param tokenBudget {@code MODEL_TOKEN_BUDGET}: a longer context loses its oldest history
 * @param quirks {@code MODEL_QUIRKS}: words of {@link ModelQuirk}, separated by commas
 */
@ConfigurationProperties("model")
public record AskingSettings(Duration attemptTimeout, int tokenBudget, @Nullable String quirks) {}
