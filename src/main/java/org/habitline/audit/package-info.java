/** The audit log (who changed what, from what to what, and why), and the events for live pages. */
@NullMarked
package org.habitline.audit;

import org.jspecify.annotations.NullMarked;
