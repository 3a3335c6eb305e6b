/** The study as a whole: how it runs through time, and what comes out of it. */
@NullMarked
package org.habitline.study;

import org.jspecify.annotations.NullMarked;
