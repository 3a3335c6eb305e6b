/**
 * Builds what a model sees, runs the loop of model and tools, and keeps the journal that survives a
 * crash.
 *
 * <p>Read {@code ContextBuilder} first, then {@code ToolLoop} and {@code Journal}.
 */
@NullMarked
package org.habitline.conversation.model;

import org.jspecify.annotations.NullMarked;
