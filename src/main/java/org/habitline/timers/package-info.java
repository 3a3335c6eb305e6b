/**
 * Wakes participants' conversations at planned instants, exactly once. The wake-up row is
 * authoritative; a Quartz trigger only starts a sweep at the right time. Schedules are wall time in
 * the participant's zone and are computed with {@code java.time}: one occurrence per participant,
 * local date and slot, whatever the clocks do.
 */
@NullMarked
package org.habitline.timers;

import org.jspecify.annotations.NullMarked;
