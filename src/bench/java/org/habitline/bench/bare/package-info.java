/**
 * The references for acknowledgements and starts: an endpoint that only stores what it receives,
 * and a program without Habitline's own code.
 */
@NullMarked
package org.habitline.bench.bare;

import org.jspecify.annotations.NullMarked;
