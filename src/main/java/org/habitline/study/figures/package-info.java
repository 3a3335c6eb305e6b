/**
 * What staff and researchers count: enrolment, adherence, replies, deliveries and tokens by day.
 */
@NullMarked
package org.habitline.study.figures;

import org.jspecify.annotations.NullMarked;
