package org.habitline.flows;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a flow sends without asking a model. Each is true whatever happened before it,
 * and none claims an action.
 *
 * @param greetingFallback the first message when the model could not write one
 * @param errorFallback the reply when the model could not write one
 * @param help the reply to HELP
 * @param deletionNotice the last message before a participant's data is erased
 * @param optOutConfirmation the only reply to a participant who revokes consent in their own words
 * @param resources where to get help in a crisis; replaces {@code {{resources}}} in prompt files
 * @param paused the reply while the participant is paused, or {@code null} for none
 * @param completed the reply after the participant completed the study, or {@code null} for none
 * @param overBudget the reply while a budget of the study is used up, once a day
 * @param disclosure the beginning of the coach's first message, which says that the coach is
 *     automated; {@code null} if the flow says so elsewhere
 */
public record FlowTexts(
    String greetingFallback,
    String errorFallback,
    String help,
    String deletionNotice,
    String optOutConfirmation,
    String resources,
    @Nullable String paused,
    @Nullable String completed,
    String overBudget,
    @Nullable String disclosure) {

  /** Sent by flows without a text of their own, in English and Spanish. */
  static final String OVER_BUDGET =
      "This line can't reply to more messages today. Please text again tomorrow. / Hoy esta línea ya"
          + " no puede responder más mensajes. Por favor, escribe mañana.";

  /**
   * Creates texts with the usual reply while a budget is used up, of a flow that says nowhere that
   * its coach is automated.
   */
  public FlowTexts(
      String greetingFallback,
      String errorFallback,
      String help,
      String deletionNotice,
      String optOutConfirmation,
      String resources,
      @Nullable String paused,
      @Nullable String completed) {
    this(
        greetingFallback,
        errorFallback,
        help,
        deletionNotice,
        optOutConfirmation,
        resources,
        paused,
        completed,
        OVER_BUDGET,
        null);
  }

  /** Returns the coach's first message, which begins with the disclosure if the flow has one. */
  public String first(String message) {
    return disclosure == null || message.startsWith(disclosure)
        ? message
        : disclosure + "\n\n" + message;
  }

  /** Returns all texts that the flow has. */
  List<String> all() {
    var all =
        new ArrayList<>(
            List.of(
                greetingFallback,
                errorFallback,
                help,
                deletionNotice,
                optOutConfirmation,
                resources));
    if (paused != null) {
      all.add(paused);
    }
    if (completed != null) {
      all.add(completed);
    }
    all.add(overBudget);
    if (disclosure != null) {
      all.add(disclosure);
    }
    return all;
  }
}
