/** The study as a whole: study time, figures and exports. */
@NullMarked
package org.habitline.study;

import org.jspecify.annotations.NullMarked;
