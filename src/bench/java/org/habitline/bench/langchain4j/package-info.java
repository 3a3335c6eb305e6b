/** The reference for turns: a coach built like LangChain4j's own examples. */
@NullMarked
package org.habitline.bench.langchain4j;

import org.jspecify.annotations.NullMarked;
