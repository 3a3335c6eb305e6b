package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.value.PropertyResolver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.text.similarity.JaroWinklerDistance;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the values of all settings before anything is built, and writes them up: a test compares
 * the README's table with {@link Setting}.
 */
public final class Settings {

  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  /** How our variables begin. */
  private static final Set<String> OURS =
      Set.of(
          "HABITLINE_",
          "TURN_",
          "TURNS_",
          "MODEL_",
          "OPENAI_",
          "CHAT_",
          "REPLY_",
          "DATABASE_",
          "TWILIO_",
          "SCHEDULER_",
          "DAILY_PROMPT_",
          "AUTO_FEEDBACK_",
          "FEEDBACK_",
          "ALLOWED_");

  /** Names farther apart than this are no slip of the keyboard. */
  private static final double ALIKE = 0.15;

  private static final String A_DURATION = "a duration ";

  private Settings() {}

  /** The README's table. */
  public static String table() {
    return Stream.concat(
            Stream.of("| variable | key | default | meaning |", "|---|---|---|---|"),
            Stream.of(Setting.values()).map(Setting::row))
        .collect(Collectors.joining("\n"));
  }

  /**
   * Checks the folder that is the home; a name that was mistyped would start the shipped flow on an
   * empty database.
   *
   * @throws StartFailure with one sentence if there is none
   */
  public static void checkHome(Path home) {
    if (!Files.isDirectory(home)) {
      throw new StartFailure(
          "HABITLINE_HOME: there is no folder '"
              + home
              + "'; make it, or name the one that is meant.");
    }
  }

  /**
   * Checks every value that is set, wherever it is set, and warns about variables that look like
   * ours and are not. Log lines are in the format that is set from here on.
   *
   * @param options settings of the command line, which win over all others
   * @throws StartFailure with one sentence for the first that is wrong
   */
  public static void check(String... options) {
    check(Settings::check, options);
  }

  /**
   * The same for a rehearsal, which has phones, a model and a database of its own: what is set must
   * be right by itself, and need not make up a line.
   */
  public static void checkEach() {
    check(Settings::checkEach);
  }

  private static void check(Consumer<PropertyResolver> checked, String... options) {
    try (var context = ApplicationContext.builder().args(options).build()) {
      var environment = context.getEnvironment();
      environment.start();
      Setting.HABITLINE_LOG_FORMAT.in(environment).ifPresent(LogFormat::use);
      unknown(System.getenv().keySet()).forEach(log::warn);
      checked.accept(environment);
    }
  }

  static void checkEach(PropertyResolver values) {
    Stream.of(Setting.values()).forEach(setting -> setting.check(values));
  }

  static void check(PropertyResolver values) {
    checkEach(values);
    SettingRules.check(values);
  }

  /** The paragraph of the README on how long durations may be, one line for each kind. */
  static List<String> durations() {
    return Stream.of(SettingKind.values())
        .filter(kind -> kind.accepted().startsWith(A_DURATION))
        .map(kind ->
            "- "
                + Stream.of(Setting.values())
                    .filter(setting -> setting.kind() == kind)
                    .map(setting -> "`" + setting.variable() + "`")
                    .collect(Collectors.joining(", "))
                + ": "
                + kind.accepted().substring(A_DURATION.length()))
        .toList();
  }

  /** One sentence for each variable that begins like one of ours and is none, with the nearest. */
  static List<String> unknown(Set<String> variables) {
    var known = Stream.of(Setting.values()).map(Setting::variable).collect(Collectors.toSet());
    return variables.stream()
        .filter(variable -> OURS.stream().anyMatch(variable::startsWith))
        .filter(variable -> !known.contains(variable))
        .sorted()
        .map(variable ->
            variable
                + ": there is no such setting, it has no effect"
                + nearest(variable, known).map(name -> "; did you mean " + name + "?").orElse("."))
        .toList();
  }

  private static Optional<String> nearest(String variable, Set<String> known) {
    // Jaro-Winkler gives weight to how names begin; ours say there what they are about.
    var distance = new JaroWinklerDistance();
    return known.stream()
        .filter(name -> distance.apply(variable, name) < ALIKE)
        .min(
            Comparator.<String>comparingDouble(name -> distance.apply(variable, name))
                .thenComparing(Comparator.naturalOrder()));
  }
}
