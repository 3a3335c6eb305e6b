/** Messages that scripts request, and the choices that a reply to them may make. */
@NullMarked
package org.habitline.conversation.requests;

import org.jspecify.annotations.NullMarked;
