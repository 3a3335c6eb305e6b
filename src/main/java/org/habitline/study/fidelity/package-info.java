/** The plan of the study compared with what happened, day by day, and the differences. */
@NullMarked
package org.habitline.study.fidelity;

import org.jspecify.annotations.NullMarked;
