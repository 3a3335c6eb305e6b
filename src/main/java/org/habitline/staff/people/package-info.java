/** The list of participants: enrolment, search, phone number changes and erasure. */
@NullMarked
package org.habitline.staff.people;

import org.jspecify.annotations.NullMarked;
