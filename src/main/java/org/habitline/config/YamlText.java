package org.habitline.config;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** Parses the text of a YAML file. */
public final class YamlText {

  private YamlText() {}

  /**
   * Returns the keys and values of a file, or empty if it is no YAML or has no content, which is
   * added to the mistakes.
   */
  public static Optional<Section> parse(String yaml, Mistakes mistakes) {
    return compose(yaml, mistakes).map(root -> new Section(mistakes, root));
  }

  /**
   * Returns the keys and values of a file with those of a second file over them: keys with values
   * of their own are joined, and every other value of the second file replaces that of the first.
   * Empty if one of them cannot be parsed, which is added to the mistakes.
   */
  public static Optional<Section> over(String yaml, String second, Mistakes mistakes) {
    return compose(yaml, mistakes)
        .flatMap(
            first -> compose(second, mistakes).map(its -> new Section(mistakes, over(first, its))));
  }

  private static Node over(Node first, Node second) {
    if (!(first instanceof MappingNode below && second instanceof MappingNode above)) {
      return second;
    }
    var entries = new LinkedHashMap<String, NodeTuple>();
    below.getValue().forEach(entry -> entries.put(key(entry), entry));
    for (var entry : above.getValue()) {
      entries.merge(
          key(entry),
          entry,
          (old, its) ->
              new NodeTuple(its.getKeyNode(), over(old.getValueNode(), its.getValueNode())));
    }
    return new MappingNode(
        above.getTag(),
        true,
        new ArrayList<>(entries.values()),
        above.getStartMark(),
        above.getEndMark(),
        above.getFlowStyle());
  }

  private static String key(NodeTuple entry) {
    return entry.getKeyNode() instanceof ScalarNode key
        ? key.getValue()
        : String.valueOf(entry.getKeyNode());
  }

  private static Optional<Node> compose(String yaml, Mistakes mistakes) {
    try {
      var root = new Yaml(new LoaderOptions()).compose(new StringReader(yaml));
      if (root == null) {
        mistakes.add("the file is empty; expected keys with values");
        return Optional.empty();
      }
      return Optional.of(root);
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
