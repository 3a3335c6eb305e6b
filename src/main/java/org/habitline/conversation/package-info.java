/** One turn: input, context, loop, committed outcome; transcript and history. */
@NullMarked
package org.habitline.conversation;

import org.jspecify.annotations.NullMarked;
