package org.habitline.participants;

import org.jspecify.annotations.Nullable;

/**
 * One step on the way to consent, as it is kept for good.
 *
 * @param version the version of the consent text, or {@code null} for a question about the age
 * @param words the participant's words, for a yes or a no; {@code null} otherwise
 * @param messageId the participant's message in the transcript, or {@code null} if the step has
 *     none
 */
public record ConsentEntry(
    ConsentStep step,
    @Nullable String version,
    @Nullable String words,
    @Nullable String messageId) {}
