/**
 * What holds for every request: the API document, error responses, strict bodies and bounds on
 * sockets.
 */
@NullMarked
package org.habitline.ops.http;

import org.jspecify.annotations.NullMarked;
