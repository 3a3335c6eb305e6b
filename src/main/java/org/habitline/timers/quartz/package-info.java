/**
 * Sweep triggers on Quartz's JDBC job store: one durable trigger per second that has a due wake-up,
 * and one repeating sweep.
 */
@NullMarked
package org.habitline.timers.quartz;

import org.jspecify.annotations.NullMarked;
