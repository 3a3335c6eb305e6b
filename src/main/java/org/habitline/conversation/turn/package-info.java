/**
 * The result of a turn: its messages, its effects, and the action of its wake-up ({@code Closing}).
 */
@NullMarked
package org.habitline.conversation.turn;

import org.jspecify.annotations.NullMarked;
