/** Incidents: people who may be in danger, what was sent to them, and what staff did. */
@NullMarked
package org.habitline.safety.incidents;

import org.jspecify.annotations.NullMarked;
