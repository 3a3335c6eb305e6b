package org.habitline.knowledge;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Divides a Markdown text into sections at its headings (CommonMark 0.31, sections 4.2 and 4.3). A
 * {@code #} in a fenced code block is no heading. Comments and front matter are left out, because a
 * reader of the rendered page does not see them.
 */
final class Markdown {

  private static final String COMMENT_BEGINS = "<!--";
  private static final String COMMENT_ENDS = "-->";
  private static final Pattern FRONT_MATTER_BEGINS = Pattern.compile("---[ \\t]*");
  private static final Pattern FRONT_MATTER_ENDS = Pattern.compile("(?:---|\\.\\.\\.)[ \\t]*");
  private static final Pattern HEADING =
      Pattern.compile(" {0,3}(#{1,6})(?:[ \\t]+(.*?))?(?:[ \\t]+#+)?[ \\t]*");
  private static final Pattern UNDERLINE = Pattern.compile(" {0,3}(?:(=+)|-{2,})[ \\t]*");
  private static final Pattern FENCE = Pattern.compile(" {0,3}(`{3,}|~{3,}).*");

  /** A longer line is text, whatever it looks like. */
  private static final int LONGEST_HEADING = 300;

  /** Lines that cannot be the text of an underlined heading: lists, quotes, tables, fences. */
  private static final Pattern NO_PARAGRAPH =
      Pattern.compile("^\\s*+(?:(?:[-*+>|#`~]|\\d++[.)]).*)?");

  private final List<Section> sections = new ArrayList<>();
  private final List<String> headings = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private String fence = "";

  private Markdown() {}

  /** Returns the sections that have a text, in their order. */
  static List<Section> sections(String text) {
    var markdown = new Markdown();
    withoutFrontMatter(withoutComments(text).lines().toList()).forEach(markdown::add);
    markdown.end();
    return markdown.sections;
  }

  /** A comment without an end is text. */
  private static String withoutComments(String text) {
    var shown = new StringBuilder();
    var from = 0;
    for (int begin = text.indexOf(COMMENT_BEGINS); begin >= 0; ) {
      var end = text.indexOf(COMMENT_ENDS, begin + COMMENT_BEGINS.length());
      if (end < 0) {
        break;
      }
      shown.append(text, from, begin);
      from = end + COMMENT_ENDS.length();
      begin = text.indexOf(COMMENT_BEGINS, from);
    }
    return shown.append(text, from, text.length()).toString();
  }

  private static List<String> withoutFrontMatter(List<String> lines) {
    if (!lines.isEmpty() && FRONT_MATTER_BEGINS.matcher(lines.getFirst()).matches()) {
      for (int i = 1; i < lines.size(); i++) {
        if (FRONT_MATTER_ENDS.matcher(lines.get(i)).matches()) {
          return lines.subList(i + 1, lines.size());
        }
      }
    }
    return lines;
  }

  private void add(String line) {
    if (isCode(line) || line.length() > LONGEST_HEADING) {
      lines.add(line);
      return;
    }
    var heading = HEADING.matcher(line);
    var underline = UNDERLINE.matcher(line);
    if (heading.matches()) {
      begin(heading.group(1).length(), heading.group(2) == null ? "" : heading.group(2));
    } else if (underline.matches()
        && !lines.isEmpty()
        && lines.getLast().length() <= LONGEST_HEADING
        && !NO_PARAGRAPH.matcher(lines.getLast()).matches()) {
      begin(underline.group(1) == null ? 2 : 1, lines.removeLast());
    } else {
      lines.add(line);
    }
  }

  /** Returns whether the line belongs to a fenced code block, its fences included. */
  private boolean isCode(String line) {
    var mark = FENCE.matcher(line);
    if (fence.isEmpty()) {
      fence = mark.matches() ? mark.group(1) : "";
      return !fence.isEmpty();
    }
    if (mark.matches() && mark.group(1).startsWith(fence) && line.strip().equals(mark.group(1))) {
      fence = "";
    }
    return true;
  }

  private void begin(int level, String heading) {
    end();
    while (headings.size() >= level) {
      headings.removeLast();
    }
    while (headings.size() < level - 1) {
      headings.add("");
    }
    headings.add(heading.strip());
  }

  private void end() {
    var text = String.join("\n", lines).strip();
    lines.clear();
    if (!text.isEmpty()) {
      sections.add(
          Section.below(
              String.join(" > ", headings.stream().filter(it -> !it.isEmpty()).toList()), text));
    }
  }
}
