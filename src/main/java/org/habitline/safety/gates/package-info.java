/**
 * Checks what a model wrote before it is sent to a participant. A {@code Candidate} is the text
 * with what the model was shown and what it has done; {@link org.habitline.safety.gates.ReplyGates}
 * asks each gate in use and returns a {@link org.habitline.safety.gates.Verdict}. Everything here
 * is a pure function of the candidate and the files in {@code config/gates}: no gate asks a model
 * or a database.
 *
 * <p>A verdict names no participant's words except in the note for the model, which must never be
 * logged.
 */
@NullMarked
package org.habitline.safety.gates;

import org.jspecify.annotations.NullMarked;
