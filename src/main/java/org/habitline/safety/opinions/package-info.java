/** A second opinion, of a model or a moderation, about texts in which the rules found no crisis. */
@NullMarked
package org.habitline.safety.opinions;

import org.jspecify.annotations.NullMarked;
