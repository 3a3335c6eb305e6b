/** Alerts staff of a crisis outside the pages, until somebody acknowledges it. */
@NullMarked
package org.habitline.safety.alerts;

import org.jspecify.annotations.NullMarked;
