/** A phone without a provider: messages arrive in a table that the staff page shows. */
@NullMarked
package org.habitline.messaging.simulator;

import org.jspecify.annotations.NullMarked;
