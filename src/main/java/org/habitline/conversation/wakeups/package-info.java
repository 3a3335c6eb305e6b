/**
 * Handles wake-ups: one class for each kind, and the follow-ups of prompts.
 *
 * <p>{@code WakeupTurns} checks what holds for all kinds; each {@code WakeupTurn} has its own
 * guard, message and {@code WakeupAction}.
 */
@NullMarked
package org.habitline.conversation.wakeups;

import org.jspecify.annotations.NullMarked;
