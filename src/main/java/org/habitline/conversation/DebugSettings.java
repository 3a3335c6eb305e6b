package org.habitline.conversation;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * What an operator may say of debug messages.
 *
 * @param debug whether everybody receives them, for as long as this is set
 */
@ConfigurationProperties("habitline")
public record DebugSettings(boolean debug) {}
