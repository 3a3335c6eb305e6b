/** Flows, modules and prompt files, validated at startup. Depends on no other area. */
@NullMarked
package org.habitline.flows;

import org.jspecify.annotations.NullMarked;
