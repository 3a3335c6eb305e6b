/** Messages that scripts request, and the branches that a reply to them may choose. */
@NullMarked
package org.habitline.conversation.requests;

import org.jspecify.annotations.NullMarked;
