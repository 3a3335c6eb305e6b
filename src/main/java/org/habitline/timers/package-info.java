/**
 * Wakes someone at an instant, exactly once. The wake-up row is the fact; a Quartz bell only says
 * that it is time to look. Schedules are wall time in the participant's zone and are computed with
 * {@code java.time}: one occurrence per participant, local date and slot, whatever the clocks do.
 */
@NullMarked
package org.habitline.timers;

import org.jspecify.annotations.NullMarked;
