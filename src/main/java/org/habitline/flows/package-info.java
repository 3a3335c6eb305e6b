/**
 * What the line is for: flow and module definitions and prompt files, validated at start. Uses no
 * other room.
 */
@NullMarked
package org.habitline.flows;

import org.jspecify.annotations.NullMarked;
