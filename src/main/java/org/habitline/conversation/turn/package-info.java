/** What a turn ends with: messages, effects, and what becomes of its wake-up ({@code Closing}). */
@NullMarked
package org.habitline.conversation.turn;

import org.jspecify.annotations.NullMarked;
