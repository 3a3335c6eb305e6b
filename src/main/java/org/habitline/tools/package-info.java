/** The tools a model may call, one class each. They change nothing and return effects. */
@NullMarked
package org.habitline.tools;

import org.jspecify.annotations.NullMarked;
