package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The fields that a module's script can fill in, and the calls that save them: all at once with
 * {@code save_user_profile}, or one after the other with {@code write_data}.
 */
record Answers(Toolbox tools, List<Blank> blanks, String tool) {

  private static final String FIELD_NAME = "field_name";
  private static final String VALUE = "value";

  static Answers of(Scene scene, List<Blank> saved) {
    var named = scene.tools().arguments(Act.WRITE_DATA).get(FIELD_NAME);
    if (!saved.isEmpty() || named == null) {
      return new Answers(scene.tools(), saved, Act.SAVE);
    }
    var names = new ArrayList<String>();
    named.path("enum").forEach(name -> names.add(name.asText()));
    if (names.isEmpty()) {
      names.addAll(scene.status().missing());
    }
    return new Answers(scene.tools(), names.stream().map(Blank::ofText).toList(), Act.WRITE_DATA);
  }

  /** Returns the calls that save these values. */
  List<Optional<Act>> save(Map<String, JsonNode> values) {
    if (values.isEmpty()) {
      return List.of();
    }
    return tool.equals(Act.SAVE)
        ? List.of(tools.saveValues(values))
        : values.entrySet().stream()
            .map(value ->
                tools.call(
                    Act.WRITE_DATA,
                    Map.of(FIELD_NAME, Blank.text(value.getKey()), VALUE, value.getValue())))
            .toList();
  }
}
