/**
 * Actions of staff on many participants at once: previewed, confirmed, and carried out in the
 * background after a moment in which they can be undone. An action and its participants are rows;
 * what is done for one participant is committed together with its row, so that nothing is done
 * twice or forgotten. Read {@code BulkDesk}, {@code BulkChecks} and {@code BulkRun} first.
 */
@NullMarked
package org.habitline.staff.bulk;

import org.jspecify.annotations.NullMarked;
