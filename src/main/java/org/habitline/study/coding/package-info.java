/**
 * Outcomes of daily prompts that are coded after the fact from the participants' own texts, blind
 * to who they are and to what was recorded: by a model, and for a random share by staff, with their
 * agreement. Read {@link org.habitline.study.coding.OutcomeWindows} first: both see only what it
 * returns. No code changes what was recorded in the conversation.
 */
@NullMarked
package org.habitline.study.coding;

import org.jspecify.annotations.NullMarked;
