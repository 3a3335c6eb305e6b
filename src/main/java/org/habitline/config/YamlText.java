package org.habitline.config;

import java.io.StringReader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Parses the text of a YAML file. */
public final class YamlText {

  private YamlText() {}

  /**
   * Returns the keys and values of a file, or empty if it is no YAML or has no content, which is
   * added to the mistakes.
   */
  public static Optional<Section> parse(String yaml, Mistakes mistakes) {
    try {
      var root = new Yaml(new LoaderOptions()).compose(new StringReader(yaml));
      if (root == null) {
        mistakes.add("the file is empty; expected keys with values");
        return Optional.empty();
      }
      return Optional.of(new Section(mistakes, root));
    } catch (MarkedYAMLException e) {
      mistakes.add("", line(e.getProblemMark()), "expected YAML: " + problem(e));
    } catch (YAMLException e) {
      mistakes.add(
          "expected YAML: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse("unreadable"));
    }
    return Optional.empty();
  }

  /**
   * Returns the mistake and where its element begins, because an open quote is found only at the
   * end of the file.
   */
  private static String problem(MarkedYAMLException e) {
    var whole = e.getContextMark();
    return whole == null
        ? e.getProblem()
        : e.getProblem() + " " + e.getContext() + " from line " + line(whole);
  }

  private static int line(@Nullable Mark mark) {
    return mark == null ? 1 : mark.getLine() + 1;
  }
}
