/** Who takes part: enrolment, status, zone, consent. Uses no other room. */
@NullMarked
package org.habitline.participants;

import org.jspecify.annotations.NullMarked;
