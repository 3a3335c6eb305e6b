package org.habitline.staff.people;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.habitline.protocol.StudyField;
import org.habitline.protocol.StudyFields;

/**
 * A column of the list of participants, besides the name.
 *
 * @param word its name in addresses: that of a {@link Kind}, or {@code field.<name>} for a field of
 *     the study
 * @param sort the order that it shows, or empty if the list cannot be sorted by it
 */
public record PeopleColumn(String word, Kind kind, String title, String sort) {

  /** What a column shows. */
  public enum Kind {
    STUDY_ID("Study id", true),
    NUMBER("Number", false),
    FLOW("Flow", false),
    MODULE("Module", false),
    STATUS("Status", true),
    LAST_HEARD("Last heard", true),
    LAST_PROMPT("Last prompt", true),
    NEXT_PROMPT("Next prompt", true),
    LAST_14_DAYS("Last 14 days", false),
    ANSWER_RATE("Answered", true),
    TAGS("Tags", false),
    FLAGS("Flags", false),
    LANGUAGE("Language", false),
    CHANNEL("Channel", false),
    ZONE("Time zone", false),
    ENROLLED("Enrolled", true),
    /** A field that the study defined itself. */
    FIELD("", false);

    private final String title;
    private final boolean sorts;

    Kind(String title, boolean sorts) {
      this.title = title;
      this.sorts = sorts;
    }

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    private boolean isStandard() {
      return compareTo(TAGS) <= 0;
    }
  }

  static PeopleColumn of(Kind kind) {
    return new PeopleColumn(kind.word(), kind, kind.title, kind.sorts ? kind.word() : "");
  }

  private static PeopleColumn of(StudyField field) {
    return new PeopleColumn(CustomFields.parameter(field.name()), Kind.FIELD, field.label(), "");
  }

  /** Returns all columns in their order. */
  static List<PeopleColumn> all(StudyFields fields) {
    return Stream.concat(
            Arrays.stream(Kind.values()).filter(kind -> kind != Kind.FIELD).map(PeopleColumn::of),
            fields.all().stream().map(PeopleColumn::of))
        .toList();
  }

  /** Returns the columns of somebody who has chosen none. */
  static List<PeopleColumn> standard() {
    return Arrays.stream(Kind.values()).filter(Kind::isStandard).map(PeopleColumn::of).toList();
  }

  /** Returns the columns with these words, in the order of all; unknown words are ignored. */
  static List<PeopleColumn> chosen(StudyFields fields, Collection<String> words) {
    var chosen = new ArrayList<>(all(fields));
    chosen.removeIf(column -> !words.contains(column.word()));
    return List.copyOf(chosen);
  }

  /** Returns whether a first click sorts by it in descending order. */
  boolean newestFirst() {
    return switch (kind) {
      case LAST_HEARD, LAST_PROMPT, ANSWER_RATE, ENROLLED -> true;
      default -> false;
    };
  }

  /** Returns the name of the study's field that it shows, or an empty text. */
  String field() {
    return kind == Kind.FIELD ? word.substring(CustomFields.parameter("").length()) : "";
  }

  /** Returns the classes of its cells, which align them and hide them where the page is narrow. */
  public String css() {
    return switch (kind) {
      case LAST_HEARD, ANSWER_RATE -> "r";
      case STUDY_ID -> "num";
      case NUMBER -> "num muted p2";
      default -> narrow();
    };
  }

  private String narrow() {
    return switch (kind) {
      case NUMBER, FLOW, MODULE, LAST_PROMPT -> "p2";
      case LAST_14_DAYS -> "p4";
      case TAGS, FLAGS, LANGUAGE, CHANNEL, ZONE, ENROLLED, FIELD -> "p3";
      case STUDY_ID, STATUS, LAST_HEARD, NEXT_PROMPT, ANSWER_RATE -> "";
    };
  }
}
