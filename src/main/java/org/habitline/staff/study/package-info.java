/** The study as a whole: figures by day and the export. */
@NullMarked
package org.habitline.staff.study;

import org.jspecify.annotations.NullMarked;
