package org.habitline.llm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.llm.ModelMessage.SystemText;

/**
 * A headed section of the system message. All sections follow the prompt file in one message, so
 * that nothing a participant writes can become a section, and so that servers accept it whose
 * templates allow a single system message at the beginning.
 */
public enum Section {

  /** Who the participant is. */
  BACKGROUND("About the participant"),

  /** The participant's status in the study. */
  STATUS("Status"),

  /** The tone that the participant prefers. */
  TONE("Tone"),

  /** An event that is not a participant's text, and what the model should do about it. */
  EVENT("What just happened"),

  /** What was wrong with the model's last reply. */
  NOTE("Note on your last answer");

  private static final String APART = "\n\n";
  private static final Pattern HEADING =
      Pattern.compile(
          Arrays.stream(values())
              .map(section -> Pattern.quote(section.heading))
              .collect(Collectors.joining("|", "(?:\\A|\n\n)(", ")\n")));

  private final String heading;

  Section(String heading) {
    this.heading = "# " + heading;
  }

  public SystemText holding(String text) {
    return new SystemText(heading + "\n" + text);
  }

  /**
   * Returns one system text that joins the parts, such as a prompt and its sections, with blank
   * lines between them. Empty parts are left out.
   */
  public static SystemText joined(List<SystemText> parts) {
    return new SystemText(
        parts.stream()
            .map(part -> part.content().strip())
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(APART)));
  }

  /** Returns the text of the newest section of this kind in a request, or empty if it has none. */
  public Optional<String> in(ModelRequest request) {
    var found = new ArrayList<String>();
    for (var message : request.messages()) {
      if (message instanceof SystemText(String content)) {
        find(content, found);
      }
    }
    return found.isEmpty() ? Optional.empty() : Optional.of(found.getLast());
  }

  private void find(String content, List<String> found) {
    var headings = HEADING.matcher(content);
    var from = -1;
    while (headings.find()) {
      if (from >= 0) {
        found.add(content.substring(from, headings.start()));
      }
      from = headings.group(1).equals(heading) ? headings.end() : -1;
    }
    if (from >= 0) {
      found.add(content.substring(from));
    }
  }
}
