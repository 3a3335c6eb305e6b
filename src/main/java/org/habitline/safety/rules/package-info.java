/**
 * Finds signs of a crisis in a message by rules that are data ({@code config/safety}). A message is
 * split into words ({@code Tokenizer}), the words are brought into the spelling of the rules
 * ({@code Spelling}), and phrases are searched in them ({@code Phrase}). Read {@link
 * org.habitline.safety.rules.CrisisRules} first, then {@code LanguageRules} and {@code Phrase}.
 *
 * <p>The text of a message must never appear in a log, an exception or a verdict, and the time for
 * one message must stay bounded whatever it contains: phrases have no unbounded repetition.
 */
@NullMarked
package org.habitline.safety.rules;

import org.jspecify.annotations.NullMarked;
