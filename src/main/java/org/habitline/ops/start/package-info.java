/**
 * Settings, the banner, the commands of the jar, and starting and stopping the service.
 *
 * <p>{@code Setting} lists every setting with its default and meaning. A start that cannot succeed
 * ends with one sentence ({@code StartFailure}), never with a stack trace.
 */
@NullMarked
package org.habitline.ops.start;

import org.jspecify.annotations.NullMarked;
