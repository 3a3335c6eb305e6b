/**
 * What a wake-up makes the coach do: one class for each kind, and what follows a daily prompt.
 *
 * <p>{@code WakeupTurns} checks what holds for all kinds; a {@code WakeupTurn} owns its guard, its
 * words and its {@code WakeupAction}.
 */
@NullMarked
package org.habitline.conversation.wakeups;

import org.jspecify.annotations.NullMarked;
