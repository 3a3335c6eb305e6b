package org.habitline.conversation.configuration;

import com.fasterxml.jackson.annotation.JsonValue;
import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.habitline.conversation.configuration.ConfigurationVersions.Content;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two versions of the configuration.
 *
 * @param from the number of the version to compare with
 * @param to the number of the version that has the changes
 */
public record ConfigurationChanges(
    long from, long to, List<ChangedSetting> settings, List<ChangedFile> files) {

  private static final int LINES_AROUND = 3;

  /** Stands for the program's own version among the settings. */
  private static final String PROGRAM = "program";

  public ConfigurationChanges {
    settings = List.copyOf(settings);
    files = List.copyOf(files);
  }

  /**
   * A setting with another value.
   *
   * @param name its environment variable, or {@code program} for the program's version
   * @param before {@code null} if the earlier program did not have it
   * @param after {@code null} if the later program does not have it
   */
  public record ChangedSetting(String name, @Nullable String before, @Nullable String after) {}

  /** What became of a file. */
  public enum Change {
    ADDED,
    REMOVED,
    CHANGED;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A file with another content.
   *
   * @param diff the changed lines as a unified diff, or {@code null} if the texts are not kept
   */
  public record ChangedFile(
      String path,
      Change change,
      @Nullable String beforeSha256,
      @Nullable String afterSha256,
      @Nullable String diff) {}

  static List<ChangedSetting> settings(Content before, Content after) {
    var old = withProgram(before);
    var now = withProgram(after);
    return names(old, now).stream()
        .filter(name -> !Objects.equals(old.get(name), now.get(name)))
        .map(name -> new ChangedSetting(name, old.get(name), now.get(name)))
        .toList();
  }

  private static Map<String, String> withProgram(Content content) {
    var all = new TreeMap<>(content.settings());
    all.put(PROGRAM, content.program());
    return all;
  }

  static Map<String, FileInForce> byPath(Content content) {
    return content.files().stream()
        .collect(Collectors.toMap(FileInForce::path, Function.identity()));
  }

  static SortedSet<String> names(Map<String, ?> old, Map<String, ?> now) {
    var names = new TreeSet<>(old.keySet());
    names.addAll(now.keySet());
    return names;
  }

  static ChangedFile file(
      String path,
      Optional<String> before,
      Optional<String> after,
      @Nullable FileInForce was,
      @Nullable FileInForce is) {
    return new ChangedFile(
        path,
        was == null ? Change.ADDED : is == null ? Change.REMOVED : Change.CHANGED,
        was == null ? null : was.sha256(),
        is == null ? null : is.sha256(),
        before.flatMap(old -> after.map(now -> diff(path, old, now))).orElse(null));
  }

  private static String diff(String path, String before, String after) {
    var lines = before.lines().toList();
    var patch = DiffUtils.diff(lines, after.lines().toList());
    return String.join(
        "\n", UnifiedDiffUtils.generateUnifiedDiff(path, path, lines, patch, LINES_AROUND));
  }
}
