/** The reference for turns: a coach as LangChain4j's own examples would have it. */
@NullMarked
package org.habitline.bench.langchain4j;

import org.jspecify.annotations.NullMarked;
