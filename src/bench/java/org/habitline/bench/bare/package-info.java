/** The reference for acknowledgements: an endpoint that only writes down what it is sent. */
@NullMarked
package org.habitline.bench.bare;

import org.jspecify.annotations.NullMarked;
