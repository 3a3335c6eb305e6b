/**
 * Requests to a language model and their typed replies. Each vendor has a sub-package. Depends on
 * no other area.
 */
@NullMarked
package org.habitline.llm;

import org.jspecify.annotations.NullMarked;
