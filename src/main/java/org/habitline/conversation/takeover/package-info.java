/** Staff take over a conversation and hand it back. */
@NullMarked
package org.habitline.conversation.takeover;

import org.jspecify.annotations.NullMarked;
