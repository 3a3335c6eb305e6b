/**
 * Benchmarks of Habitline. Each result is a ratio to a reference measured in the same run. Nothing
 * is asserted; docs/benchmarks.md explains the table.
 */
@NullMarked
package org.habitline.bench;

import org.jspecify.annotations.NullMarked;
