/** Runs tools outside turns, for a client that a participant or staff use. */
@NullMarked
package org.habitline.conversation.calls;

import org.jspecify.annotations.NullMarked;
