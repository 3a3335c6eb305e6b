/** The study as a whole: study time, one person's export and retention. */
@NullMarked
package org.habitline.study;

import org.jspecify.annotations.NullMarked;
