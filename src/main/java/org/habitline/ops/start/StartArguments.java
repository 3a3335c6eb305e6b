package org.habitline.ops.start;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The arguments of {@code java -jar habitline.jar}: a command with its own arguments, or settings
 * for starting the service. Anything else is refused, because ignoring it would start the service
 * without what was meant.
 */
public sealed interface StartArguments {

  /** The system property that the project's own {@code mvn mn:run} sets. */
  String UNDER_MAVEN = "habitline.under-maven";

  /** Start the service with these settings, in the form that Micronaut reads. */
  record Line(List<String> options) implements StartArguments {

    public Line {
      options = List.copyOf(options);
    }

    /** Returns the value given for a key, or empty; the last one counts. */
    public Optional<String> value(String key) {
      return options.stream()
          .filter(option -> option.startsWith("--" + key + "="))
          .map(option -> option.substring(option.indexOf('=') + 1))
          .reduce((before, last) -> last);
    }

    public String[] asArray() {
      return options.toArray(String[]::new);
    }
  }

  /** Run a command instead of the service. */
  record Command(String name, List<String> arguments) implements StartArguments {
    public Command {
      arguments = List.copyOf(arguments);
    }
  }

  /** Print the help. */
  record Help(String text) implements StartArguments {}

  /** The arguments are unknown; the sentence says what is accepted. */
  record Unknown(String sentence) implements StartArguments {}

  /**
   * Reads the program's arguments.
   *
   * @param commands the names of the commands
   */
  static StartArguments read(List<String> arguments, List<String> commands) {
    if (arguments.isEmpty()) {
      return new Line(List.of());
    }
    var first = arguments.getFirst();
    if (commands.contains(first)) {
      return new Command(first, arguments.subList(1, arguments.size()));
    }
    if (arguments.contains("--help") || arguments.contains("-h")) {
      return new Help(help(commands));
    }
    return arguments.stream()
        .filter(argument -> !isSetting(argument))
        .findFirst()
        .<StartArguments>map(argument -> new Unknown(sentence(argument, commands)))
        .orElseGet(() -> new Line(arguments));
  }

  private static boolean isSetting(String argument) {
    return Stream.of(Setting.values())
        .anyMatch(setting -> argument.startsWith("--" + setting.key() + "="));
  }

  /** Returns the message without the option's value, which may be a secret. */
  private static String sentence(String argument, List<String> commands) {
    var name = argument.replaceFirst("(?s)=.*", "");
    return (name.startsWith("-") ? "There is no option '" : "There is no command '")
        + name
        + "'. Without a command, the service starts; the commands are "
        + String.join(", ", commands)
        + "; the options are --help, and --KEY=VALUE with the key of a setting, such as --habitline.port=8081"
        + " (--help lists all of them).";
  }

  private static String help(List<String> commands) {
    var text = new StringBuilder();
    text.append("java -jar habitline.jar [--KEY=VALUE ...]   starts the service\n");
    commands.forEach(
        command -> text.append("java -jar habitline.jar ").append(command).append(" --help\n"));
    text.append(
        "\nEvery setting can be given as an option; docs/settings.md explains the settings.\n");
    Stream.of(Setting.values())
        .forEach(
            setting -> text.append("  --%-36s %s%n".formatted(setting.key(), setting.variable())));
    return text.toString();
  }
}
