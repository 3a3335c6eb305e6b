/**
 * Checks what a model server can do before a study relies on it.
 *
 * <p>{@link ModelCheck} plays each {@link Exchange} with the configured server over a {@link Talk},
 * with the same adaptations and retries as a participant's turn. The {@link Finding} of an exchange
 * comes from structured facts, such as the calls and their arguments, or the number of pieces of a
 * stream. A reply's wording counts only where it must contain a given word. {@link CheckReport}
 * holds the results. Only made-up texts are sent; nothing is stored. Uses only {@code llm}, and no
 * vendor.
 */
@NullMarked
package org.habitline.llm.check;

import org.jspecify.annotations.NullMarked;
