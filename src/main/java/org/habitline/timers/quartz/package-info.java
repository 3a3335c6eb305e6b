/** Bells on Quartz's JDBC job store: one durable trigger per second that is due, and one sweep. */
@NullMarked
package org.habitline.timers.quartz;

import org.jspecify.annotations.NullMarked;
