/** Chat Completions over HTTP by openai-java, for any compatible server. */
@NullMarked
package org.habitline.llm.openai;

import org.jspecify.annotations.NullMarked;
