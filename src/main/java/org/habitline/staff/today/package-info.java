/** Today: the worklist, unmatched texts, and the switch that stops all sending. */
@NullMarked
package org.habitline.staff.today;

import org.jspecify.annotations.NullMarked;
