/** Live events over server-sent events, and the web chat. */
@NullMarked
package org.habitline.staff.live;

import org.jspecify.annotations.NullMarked;
