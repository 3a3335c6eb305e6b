package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.habitline.flows.FieldType;
import org.habitline.flows.ProfileField;
import org.jspecify.annotations.Nullable;

/** The dated entries of a profile field to which every save adds one. */
final class Entries {

  private static final String DATE = "date";
  private static final String TEXT = "text";

  private Entries() {}

  /**
   * Returns the entries with one more, the same entries if they hold this text already, or empty if
   * they are full.
   *
   * @param stored what is stored now, or {@code null} if nothing is; a text of a field that did not
   *     append before counts as one entry without a date
   * @param date the participant's local date
   */
  static Optional<JsonNode> with(
      FieldType.Entries type, @Nullable JsonNode stored, JsonNode text, LocalDate date) {
    var entries = all(stored);
    if (StreamSupport.stream(entries.spliterator(), false)
        .anyMatch(entry -> entry.path(TEXT).equals(text))) {
      return Optional.ofNullable(stored);
    }
    if (entries.size() >= type.most()) {
      return Optional.empty();
    }
    entries.addObject().put(DATE, date.toString()).set(TEXT, text);
    return Optional.of(entries);
  }

  /** Returns the local date of a participant, in the zone that the turn leaves them in. */
  static LocalDate today(ToolRun run) {
    return run.now().atZone(run.copy().agenda().zone()).toLocalDate();
  }

  /** Returns which of a tool's fields a save replaces, to follow the words "saves it". */
  static String replacing(List<ProfileField> fields) {
    var appending =
        fields.stream()
            .filter(field -> field.type() instanceof FieldType.Entries)
            .map(ProfileField::name)
            .toList();
    return appending.isEmpty()
        ? ", in place of what it held"
        : ", in place of what it held; %s instead gets one dated entry more"
            .formatted(String.join(", ", appending));
  }

  private static ArrayNode all(@Nullable JsonNode stored) {
    var entries = JsonNodeFactory.instance.arrayNode();
    if (stored != null && stored.isTextual()) {
      entries.addObject().set(TEXT, stored);
    } else if (stored != null) {
      entries.addAll((ArrayNode) stored.deepCopy());
    }
    return entries;
  }

  /**
   * Returns the error that tells the model that a field is full.
   *
   * @param remedy what the model can do
   */
  static ToolOutcome full(String field, FieldType.Entries type, String remedy) {
    return ToolOutcome.error(
        field,
        "%s is full: it holds %d entries. Nothing of this call was saved. %s"
            .formatted(field, type.most(), remedy),
        List.of());
  }
}
