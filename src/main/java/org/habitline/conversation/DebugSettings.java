package org.habitline.conversation;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * The operator's settings for debug messages.
 *
 * @param debug whether all participants receive them, for as long as this is set
 */
@ConfigurationProperties("habitline")
public record DebugSettings(boolean debug) {}
