/** Incoming texts: stored once, in the order they came, with the consent keywords they hold. */
@NullMarked
package org.habitline.messaging.inbox;

import org.jspecify.annotations.NullMarked;
