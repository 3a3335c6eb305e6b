package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.value.PropertyResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.text.similarity.JaroWinklerDistance;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks all settings before anything is built. */
public final class Settings {

  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  /** Prefixes of Habitline's environment variables. */
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
          "ALLOWED_",
          "ALERT_");

  /** Names closer than this Jaro-Winkler distance may differ by a typing error. */
  private static final double ALIKE = 0.15;

  /** Follows the name of a secret setting in the variable that names a file with its value. */
  static final String IN_A_FILE = "_FILE";

  private Settings() {}

  /**
   * Checks that the home folder exists: with a mistyped name, the shipped flow would start on an
   * empty database.
   *
   * @throws StartFailure with one sentence if it does not exist
   */
  public static void checkHome(Path home) {
    if (!Files.isDirectory(home)) {
      throw new StartFailure(
          "HABITLINE_HOME: there is no folder '"
              + home
              + "'; create it, or name an existing folder.");
    }
  }

  /**
   * Reads the secret settings that are in files, such as those of an orchestrator: {@code
   * HABITLINE_ADMIN_KEY_FILE} names the file with the value of {@code HABITLINE_ADMIN_KEY}. Blanks
   * and line ends around a value do not count.
   *
   * @return the values by the key of their setting
   * @throws StartFailure with one sentence if a file cannot be read or is empty, or if the setting
   *     has a variable of its own
   */
  public static Map<String, String> inFiles(Map<String, String> variables) {
    var values = new HashMap<String, String>();
    secrets()
        .filter(setting -> !variables.getOrDefault(setting.variable() + IN_A_FILE, "").isBlank())
        .forEach(setting -> values.put(setting.key(), inFile(setting, variables)));
    return values;
  }

  private static String inFile(Setting setting, Map<String, String> variables) {
    var variable = setting.variable() + IN_A_FILE;
    if (!variables.getOrDefault(setting.variable(), "").isBlank()) {
      throw new StartFailure(
          variable + ": " + setting.variable() + " is set, too; set only one of them.");
    }
    var file = variables.getOrDefault(variable, "");
    try {
      var value = Files.readString(Path.of(file)).strip();
      if (!value.isEmpty()) {
        return value;
      }
    } catch (IOException | InvalidPathException e) {
      // Said below.
    }
    throw new StartFailure(
        variable
            + ": '"
            + file
            + "' cannot be read or is empty; expected a file with the value of "
            + setting.variable()
            + ".");
  }

  private static Stream<Setting> secrets() {
    return Stream.of(Setting.values()).filter(Setting::secret);
  }

  /**
   * Checks every setting, from any source, and warns about unknown variables with our prefixes.
   * From here on, log lines have the configured format.
   *
   * @param options settings from the command line, which override all others
   * @throws StartFailure with one sentence for the first that is wrong
   */
  public static void check(String... options) {
    check(Settings::check, options);
  }

  /**
   * Checks each setting by itself, but not the rules between them: a rehearsal has its own phones,
   * model and database.
   *
   * @throws StartFailure with one sentence for the first that is wrong
   */
  public static void checkEach() {
    check(Settings::checkEach);
  }

  /**
   * Checks each setting by itself, and the rules between the settings of the model server.
   *
   * @throws StartFailure with one sentence for the first that is wrong
   */
  public static void checkModel() {
    check(values -> {
      checkEach(values);
      SettingRules.checkModel(values);
    });
  }

  /** Gives log lines the configured format. */
  public static void useLogFormat(PropertyResolver values) {
    Setting.HABITLINE_LOG_FORMAT.in(values).ifPresent(LogFormat::use);
  }

  private static void check(Consumer<PropertyResolver> checked, String... options) {
    try (var context =
        ApplicationContext.builder().args(options).bootstrapEnvironment(false).build()) {
      var environment = context.getEnvironment();
      environment.start();
      useLogFormat(environment);
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

  /**
   * Returns a warning for each unknown variable with one of our prefixes, with the nearest known
   * name.
   */
  static List<String> unknown(Set<String> variables) {
    var known =
        Stream.concat(
                Stream.of(Setting.values()).map(Setting::variable),
                secrets().map(setting -> setting.variable() + IN_A_FILE))
            .collect(Collectors.toSet());
    return variables.stream()
        .filter(variable -> OURS.stream().anyMatch(variable::startsWith))
        .filter(variable -> !known.contains(variable))
        .sorted()
        .map(variable ->
            variable
                + ": there is no such setting; it has no effect"
                + nearest(variable, known).map(name -> "; did you mean " + name + "?").orElse("."))
        .toList();
  }

  private static Optional<String> nearest(String variable, Set<String> known) {
    // Jaro-Winkler gives weight to how names begin, and the beginnings of ours tell what they are
    // about.
    var distance = new JaroWinklerDistance();
    return known.stream()
        .filter(name -> distance.apply(variable, name) < ALIKE)
        .min(
            Comparator.<String>comparingDouble(name -> distance.apply(variable, name))
                .thenComparing(Comparator.naturalOrder()));
  }
}
