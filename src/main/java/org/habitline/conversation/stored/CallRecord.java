package org.habitline.conversation.stored;

import org.jspecify.annotations.Nullable;

/**
 * One tool call of an iteration (seed 004). The result is {@code null} until the call has run: a
 * crash can leave it so, and the resumed turn fills it in.
 */
public record CallRecord(String id, String name, String arguments, @Nullable String result) {}
