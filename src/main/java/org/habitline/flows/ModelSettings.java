package org.habitline.flows;

import org.jspecify.annotations.Nullable;

/**
 * A module's settings for model requests. If {@code null}, the model is the configured default, and
 * the server chooses the temperature (0 to 2) and the most tokens of one reply.
 */
public record ModelSettings(
    @Nullable String model, @Nullable Double temperature, @Nullable Integer maxTokens) {}
