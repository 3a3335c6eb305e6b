/**
 * What the line costs, always as a ratio to something that is measured beside it in the same run.
 * Nothing here is asserted; docs/benchmarks.md says how to read the table.
 */
@NullMarked
package org.habitline.bench;

import org.jspecify.annotations.NullMarked;
