package org.habitline.llm;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;

/**
 * Bounds of asking a model.
 *
 * @param attemptTimeout {@code MODEL_ATTEMPT_TIMEOUT}: bound of one request
 * @param tokenBudget {@code MODEL_TOKEN_BUDGET}: a longer context loses its oldest history
 */
@ConfigurationProperties("model")
public record AskingSettings(Duration attemptTimeout, int tokenBudget) {}
