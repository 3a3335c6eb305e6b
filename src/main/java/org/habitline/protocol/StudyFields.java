package org.habitline.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.config.Section;

/**
 * The fields that a study keeps of each participant: the list {@code fields} of {@code
 * config/study.yaml}, in its order. Their values are for people and files only; no model is shown
 * them.
 */
public record StudyFields(List<StudyField> all) {

  static final StudyFields NONE = new StudyFields(List.of());

  private static final int MOST = 50;

  public StudyFields {
    all = List.copyOf(all);
  }

  static StudyFields read(Section root) {
    var fields = new ArrayList<StudyField>();
    var sections = root.sectionList("fields");
    if (root.isList("fields") && sections.isEmpty()) {
      root.refuse("fields", "expected at least one field; to have none, remove the line");
    }
    for (int i = 0; i < sections.size(); i++) {
      var field = StudyField.read(sections.get(i));
      if (!field.name().isEmpty()
          && fields.stream().anyMatch(it -> it.name().equals(field.name()))) {
        root.refuse("fields", i, "'" + field.name() + "' appears twice; expected it once");
      }
      fields.add(field);
    }
    if (fields.size() > MOST) {
      root.refuse("fields", "expected at most " + MOST + " fields, found " + fields.size());
    }
    return new StudyFields(fields);
  }

  /** Returns the field with this name, or empty if the study has none. */
  public Optional<StudyField> find(String name) {
    return all.stream().filter(field -> field.name().equals(name)).findFirst();
  }

  /** Returns the names in order. */
  public List<String> names() {
    return all.stream().map(StudyField::name).toList();
  }
}
