package org.habitline.llm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.llm.ModelMessage.SystemText;

/**
 * A headed part of what the line tells a model. All of them stand behind the prompt file in one
 * system message: nothing that a participant writes can become one, and servers whose templates
 * take one such message only, and only at the beginning, take it.
 */
public enum Section {

  /** Who the participant is. */
  BACKGROUND("About the participant"),

  /** Where the participant stands. */
  STATUS("Status"),

  /** How the participant likes to be spoken to. */
  TONE("Tone"),

  /** What happened that nobody wrote, and what the model shall do about it. */
  EVENT("What just happened"),

  /** What was wrong with the model's last answer. */
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

  /** Puts a prompt and sections together, or several messages that are so put together. */
  public static SystemText joined(List<SystemText> parts) {
    return new SystemText(
        parts.stream()
            .map(part -> part.content().strip())
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(APART)));
  }

  /** Returns what the newest section of this kind in a request says. */
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
