package org.habitline.safety.incidents;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What happened in an incident, at a moment of study time.
 *
 * @param madeBy the staff member, or {@code null} if Habitline did it
 * @param rule the rule that found a text
 * @param textId the provider's id of a text
 * @param messageId the fixed text in the transcript
 * @param note what the staff member wrote about it
 */
public record IncidentEntry(
    String incidentId,
    EntryKind kind,
    Instant at,
    @Nullable String madeBy,
    @Nullable String rule,
    @Nullable String textId,
    @Nullable String messageId,
    @Nullable String note) {}
