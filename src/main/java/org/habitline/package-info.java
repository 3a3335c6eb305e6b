/**
 * Habitline, a texting service for behaviour-change studies. {@link Habitline} starts it; {@code
 * RoomsTest} says which package may use which.
 */
@NullMarked
package org.habitline;

import org.jspecify.annotations.NullMarked;
