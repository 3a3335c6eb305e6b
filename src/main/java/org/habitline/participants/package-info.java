/** Who takes part: enrolment, status, zone, consent. Uses the storage only. */
@NullMarked
package org.habitline.participants;

import org.jspecify.annotations.NullMarked;
