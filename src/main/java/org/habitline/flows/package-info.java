/** Flows, modules and prompt files, validated at startup. Uses {@code config} only. */
@NullMarked
package org.habitline.flows;

import org.jspecify.annotations.NullMarked;
