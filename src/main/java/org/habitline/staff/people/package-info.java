/** Participants as a list: enrolment, search, changes of number, erasure. */
@NullMarked
package org.habitline.staff.people;

import org.jspecify.annotations.NullMarked;
