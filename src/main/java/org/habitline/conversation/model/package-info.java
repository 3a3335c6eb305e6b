/**
 * What a model sees, the loop that asks it and runs its tools, and the journal that survives a
 * crash.
 *
 * <p>Read {@code ContextBuilder} first, then {@code ToolLoop} and {@code Journal}.
 */
@NullMarked
package org.habitline.conversation.model;

import org.jspecify.annotations.NullMarked;
