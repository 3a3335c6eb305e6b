/**
 * What a model may ask for, one class each. A tool changes nothing: it returns a result and
 * effects.
 */
@NullMarked
package org.habitline.tools;

import org.jspecify.annotations.NullMarked;
