/** What the coach flags for staff to see today. */
@NullMarked
package org.habitline.conversation.flags;

import org.jspecify.annotations.NullMarked;
