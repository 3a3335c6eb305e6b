/** Model servers with a Chat Completions API, reached over HTTP with openai-java. */
@NullMarked
package org.habitline.llm.openai;

import org.jspecify.annotations.NullMarked;
