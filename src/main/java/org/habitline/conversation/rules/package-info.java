/**
 * The rules that may reply to a text before the model: each rule is one class, in the order of
 * {@code BeforeTheCoach.Place}.
 */
@NullMarked
package org.habitline.conversation.rules;

import org.jspecify.annotations.NullMarked;
