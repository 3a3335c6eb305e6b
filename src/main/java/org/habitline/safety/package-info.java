/**
 * Safety of participants. {@code rules} finds signs of a crisis in a message, and {@code check}
 * measures the rules with labelled examples. Uses {@code config} only.
 */
@NullMarked
package org.habitline.safety;

import org.jspecify.annotations.NullMarked;
