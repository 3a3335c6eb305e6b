/** Measures the crisis rules with labelled examples. */
@NullMarked
package org.habitline.safety.check;

import org.jspecify.annotations.NullMarked;
