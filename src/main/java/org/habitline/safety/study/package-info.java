/** What a study says about itself in {@code config/study.yaml}. */
@NullMarked
package org.habitline.safety.study;

import org.jspecify.annotations.NullMarked;
