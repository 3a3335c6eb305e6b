/** A scripted model that plays the habit flow with no key and no network. */
@NullMarked
package org.habitline.llm.rehearsal;

import org.jspecify.annotations.NullMarked;
