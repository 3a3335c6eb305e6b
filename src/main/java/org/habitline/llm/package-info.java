/** One request to a model, one typed answer. Vendors live in sub-packages. Uses no other room. */
@NullMarked
package org.habitline.llm;

import org.jspecify.annotations.NullMarked;
