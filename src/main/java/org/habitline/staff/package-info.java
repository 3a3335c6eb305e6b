/** REST and pages for researchers and staff. */
@NullMarked
package org.habitline.staff;

import org.jspecify.annotations.NullMarked;
