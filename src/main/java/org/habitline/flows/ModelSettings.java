package org.habitline.flows;

import org.jspecify.annotations.Nullable;

/**
 * How a module asks its model. What is {@code null} is left to the configured default (model) or to
 * the server (temperature, 0 to 2; maximum tokens of one answer).
 */
public record ModelSettings(
    @Nullable String model, @Nullable Double temperature, @Nullable Integer maxTokens) {}
