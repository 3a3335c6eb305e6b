package org.habitline.flows;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A flow's WhatsApp templates. To a participant who has not texted for 24 hours, WhatsApp delivers
 * only templates that it approved; without a template, the message is not sent to them.
 *
 * @param greeting replaces the first message
 * @param prompt replaces a daily prompt
 * @param reminder replaces the reminder
 * @param nudge replaces the message to a participant who has been silent in a module
 * @param promptButtons replaces a daily prompt to a participant who texted in the last 24 hours:
 *     the same words with quick replies as buttons, which need no approval
 */
public record WhatsAppTemplates(
    @Nullable Words greeting,
    @Nullable Words prompt,
    @Nullable Words reminder,
    @Nullable Words nudge,
    @Nullable Words promptButtons) {

  static final String NAME = "{{name}}";
  static final String TEXT = "{{text}}";

  /** The templates of a flow that has none. */
  public static final WhatsAppTemplates NONE = new WhatsAppTemplates(null, null, null, null, null);

  /**
   * A template at Twilio.
   *
   * @param contentSid the template's id at Twilio
   * @param variables the values of its variables; {@code {{name}}} and {@code {{text}}} in them are
   *     filled in
   */
  public record Words(String contentSid, Map<String, String> variables) {

    public Words {
      variables = Map.copyOf(variables);
    }

    /** Returns whether the template repeats the message that it replaces. */
    public boolean hasText() {
      return variables.values().stream().anyMatch(value -> value.contains(TEXT));
    }

    /**
     * Returns the variables for one message. WhatsApp accepts no line breaks, no tabs and no more
     * than four consecutive blanks in a variable, so all whitespace becomes single blanks.
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
