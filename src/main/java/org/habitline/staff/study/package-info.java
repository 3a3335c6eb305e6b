/** The study as a whole: daily figures and participant exports. */
@NullMarked
package org.habitline.staff.study;

import org.jspecify.annotations.NullMarked;
