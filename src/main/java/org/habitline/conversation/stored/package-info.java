/**
 * The stored data of a conversation: transcript, turns, state data, records, pinned prompt files.
 *
 * <p>The readers ({@code TranscriptReader}, {@code TurnReader}, {@code StateReader}, {@code
 * RecordReader}) are for other areas; the {@code Jdbc} interfaces belong to this one.
 */
@NullMarked
package org.habitline.conversation.stored;

import org.jspecify.annotations.NullMarked;
