/** Who did what, old to new and why; and the event table that live pages read by id. */
@NullMarked
package org.habitline.audit;

import org.jspecify.annotations.NullMarked;
