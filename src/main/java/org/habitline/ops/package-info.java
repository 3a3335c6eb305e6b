/** Start, configuration, security, health and redaction. Nobody calls it. */
@NullMarked
package org.habitline.ops;

import org.jspecify.annotations.NullMarked;
