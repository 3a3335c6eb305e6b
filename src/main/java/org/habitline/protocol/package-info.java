/**
 * What a study says about itself in {@code config/study.yaml}: one record for each section, read by
 * {@link org.habitline.protocol.StudyFile}. The rooms above use the record of the section that
 * concerns them. Beside it stand the words by language of {@code config/consent} and {@code
 * config/outcomes}.
 */
@NullMarked
package org.habitline.protocol;

import org.jspecify.annotations.NullMarked;
