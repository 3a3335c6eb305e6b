package org.habitline.staff.participant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.habitline.flows.FieldType;

/** Values of a profile as staff see and write them in a form: lists have one item on each line. */
final class ProfileTexts {

  private static final Pattern ENTRY = Pattern.compile("(\\d{4}-\\d\\d-\\d\\d): *(.*)");

  /** Longer than any number that a flow can accept. */
  private static final int LONGEST_NUMBER = 40;

  private ProfileTexts() {}

  /** Returns a text of a form with plain line ends, without blank lines and outer blanks. */
  static String tidy(String text) {
    return lines(text).stream().collect(Collectors.joining("\n"));
  }

  private static List<String> lines(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  /** Returns a stored value as a form shows it. */
  static String shown(JsonNode value) {
    if (!value.isArray()) {
      return value.asText();
    }
    return StreamSupport.stream(value.spliterator(), false)
        .map(item ->
            item.isObject()
                ? (item.has("date") ? item.path("date").asText() + ": " : "")
                    + item.path("text").asText()
                : item.asText())
        .collect(Collectors.joining("\n"));
  }

  /**
   * Returns what was written in a form as JSON; a blank text is null, which empties the field. What
   * does not fit the type stays a text, so that the refusal says what is expected.
   *
   * @param was what the form showed; an entry without a date in it stays without one
   */
  static JsonNode read(FieldType type, String text, String was) {
    var lines = lines(text);
    if (lines.isEmpty()) {
      return NullNode.getInstance();
    }
    return switch (type) {
      case FieldType.WholeNumber _, FieldType.Decimal _ -> number(tidy(text));
      case FieldType.Texts _ -> {
        var list = JsonNodeFactory.instance.arrayNode();
        lines.forEach(list::add);
        yield list;
      }
      case FieldType.Entries _ -> entries(lines, lines(was));
      case FieldType.Text _, FieldType.Choice _, FieldType.Truth _, FieldType.Date _ ->
          TextNode.valueOf(tidy(text));
    };
  }

  private static JsonNode entries(List<String> lines, List<String> was) {
    var list = JsonNodeFactory.instance.arrayNode();
    for (var line : lines) {
      var dated = ENTRY.matcher(line);
      if (dated.matches()) {
        list.addObject().put("date", dated.group(1)).put("text", dated.group(2));
      } else if (was.contains(line)) {
        list.addObject().put("text", line);
      } else {
        list.add(line);
      }
    }
    return list;
  }

  private static JsonNode number(String text) {
    try {
      return text.length() > LONGEST_NUMBER
          ? TextNode.valueOf(text)
          : DecimalNode.valueOf(new BigDecimal(text));
    } catch (NumberFormatException e) {
      return TextNode.valueOf(text);
    }
  }
}
