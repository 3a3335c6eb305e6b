package org.habitline.flows;

import org.jspecify.annotations.Nullable;

/**
 * The texts a flow sends without asking a model. Each is true whatever happened before it; none
 * claims an action.
 *
 * @param greetingFallback the first text when the model could not write one
 * @param errorFallback the reply when the model could not write one
 * @param help the answer to HELP
 * @param deletionNotice the last text before a participant's data is erased
 * @param optOutConfirmation the one answer to a revocation in free words
 * @param resources where to turn in a crisis; put in place of {@code {{resources}}} in prompt files
 * @param paused the answer while the participant is paused, if any
 * @param completed the answer after the participant completed the study, if any
 */
public record FlowTexts(
    String greetingFallback,
    String errorFallback,
    String help,
    String deletionNotice,
    String optOutConfirmation,
    String resources,
    @Nullable String paused,
    @Nullable String completed) {}
