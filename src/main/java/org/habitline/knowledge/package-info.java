/**
 * Search in the documents of one folder. Documents are read into sections, sections are split into
 * passages, and passages are kept in an index in memory. Read {@link
 * org.habitline.knowledge.KnowledgeBase} first, then {@code DocumentReader} and {@code
 * PassageIndex}. A document that cannot be read must never stop the start or hide the others, and
 * no request to a model may run while a lock is held. Uses {@code llm} only.
 */
@NullMarked
package org.habitline.knowledge;

import org.jspecify.annotations.NullMarked;
