/** Enrolment of many participants from a CSV file, in the background and exactly once. */
@NullMarked
package org.habitline.staff.imports;

import org.jspecify.annotations.NullMarked;
