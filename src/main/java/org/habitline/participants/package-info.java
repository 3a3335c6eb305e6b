/** Participants: enrolment, status, time zone, consent, erasure. Uses only the storage package. */
@NullMarked
package org.habitline.participants;

import org.jspecify.annotations.NullMarked;
