/** The texting line: the room plan is in {@code RoomsTest}, the way in is {@link Habitline}. */
@NullMarked
package org.habitline;

import org.jspecify.annotations.NullMarked;
