package org.habitline.flows;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What WhatsApp lets a flow say to somebody who has not texted for 24 hours: templates that it
 * approved. Each may be missing; then the text is not sent there and then.
 *
 * @param greeting in place of the first text
 * @param prompt in place of a daily prompt
 * @param reminder in place of the reminder
 * @param promptButtons in place of a daily prompt to somebody who texted lately: the same words
 *     with its quick replies as buttons, which need no approval
 */
public record WhatsAppTemplates(
    @Nullable Words greeting,
    @Nullable Words prompt,
    @Nullable Words reminder,
    @Nullable Words promptButtons) {

  static final String NAME = "{{name}}";
  static final String TEXT = "{{text}}";

  /** A flow without any. */
  public static final WhatsAppTemplates NONE = new WhatsAppTemplates(null, null, null, null);

  /**
   * A template at Twilio.
   *
   * @param contentSid its id there
   * @param variables what its variables stand for; {@code {{name}}} and {@code {{text}}} are filled
   *     in
   */
  public record Words(String contentSid, Map<String, String> variables) {

    public Words {
      variables = Map.copyOf(variables);
    }

    /**
     * Returns the variables for one text. WhatsApp takes neither line breaks nor tabs nor more than
     * four blanks in a row in a variable: all of them become one blank.
     *
     * @param name the participant's name, or "" if it is not known
     */
    public Map<String, String> filled(String name, String text) {
      var filled = new LinkedHashMap<String, String>();
      variables.forEach((variable, value) ->
          filled.put(
              variable,
              value.replace(NAME, name).replace(TEXT, text).strip().replaceAll("\\s+", " ")));
      return filled;
    }
  }
}
