/** The prompt API: messages that scripts request, at once or on a schedule. */
@NullMarked
package org.habitline.staff.prompts;

import org.jspecify.annotations.NullMarked;
